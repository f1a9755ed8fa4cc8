import { base64Forms } from '../protocol/credential-shapes.ts'
import type { Host } from './report-file.ts'

/** The same surroundings, in which nothing that is shown holds a credential or an order to a pipeline, whatever a server says. */
export function withoutSecrets(host: Host, secrets: readonly string[]): Host {
  const redact = createRedactor(secrets)
  return {
    ...host,
    log: (line) => {
      host.log(withoutOrders(redact(terminalLine(line))))
    },
    print: (text) => {
      host.print(withoutOrders(redact(text)))
    },
    printAll: (text) => host.printAll(withoutOrders(redact(text))),
    disk: {
      ...host.disk,
      openPipe: (path) => {
        const pipe = host.disk.openPipe(path)
        return pipe && { ...pipe, write: (text, signal) => pipe.write(redact(text), signal) }
      },
      openLines: (path) => {
        const file = host.disk.openLines(path)
        return {
          ...file,
          append: (text) => file.append(redact(text)),
        }
      },
    },
    openReport: (path) => {
      const { save, discard } = host.openReport(path)
      return {
        discard,
        // Bytes are those of a zip, which its server has written.
        save: (content) => {
          save(typeof content === 'string' ? redact(content) : content)
        },
      }
    },
    appendFile: (path, text) => {
      host.appendFile(path, redact(text))
    },
  }
}

/** A shorter one would be found in words of a report that have nothing to do with it. */
const shortest = 6

/**
 * Takes secrets out of whatever is shown, in every form in which they travel: the last line of
 * defence, should a server repeat what it was sent.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    ...base64Forms(secret),
    encodeURIComponent(secret),
  ])
  // Longest first, so that no secret is left half replaced by a shorter one inside it.
  const sought = [...new Set(forms)]
    .filter((text) => text.length >= shortest)
    .sort((a, b) => b.length - a.length)
    .map((text) => new RegExp(Array.from(text, charPattern).join(''), 'gu'))
  return (text) => sought.reduce((rest, secret) => rest.replace(secret, '[secret]'), text)
}

/**
 * A character as JSON, Markdown, HTML and XML write it, also one inside the other: a few times, as a text of
 * nothing but backslashes is searched in linear time.
 */
function charPattern(char: string): string {
  if (/[A-Za-z\d]/.test(char)) return char
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  const name = entities[char]
  const escaped = [
    `\\\\{0,8}${char.replace(/[$()*+./?[\\\]^{|}]/g, (one) => `\\${one}`)}`,
    `\\\\{1,8}u0{0,4}${anyCase(hex)}`,
    `&(?:amp;){0,3}#(?:0{0,6}${code}|[xX]0{0,6}${anyCase(hex)});`,
    ...(name === undefined ? [] : [`&(?:amp;){0,3}${name};`]),
  ]
  return `(?:${escaped.join('|')})`
}

const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

/**
 * A text of a server as one line that a terminal and the log of a pipeline only show: without control
 * characters, which move cursors, and without those that turn the direction of writing.
 */
export function terminalLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .trim()
}

/**
 * Without what pipelines that read standard output take for orders: `##vso[…]` and `##[…]` anywhere in a line (Azure
 * Pipelines, GitHub Actions), `##teamcity[…]`, and `::…` at its beginning (GitHub Actions). JSON stays the same value.
 */
export function withoutOrders(text: string): string {
  const isJson = /^\s*[[{]/.test(text)
  return isJson
    ? text.replace(/##(?=\w*\[)/g, String.raw`#\u0023`)
    : text.replace(/##(?=\w*\[)/g, '## ').replace(/^(\s*):(?=:)/gm, '$1: ')
}
