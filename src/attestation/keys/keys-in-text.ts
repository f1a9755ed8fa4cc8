import { decodeBase64, toBase64 } from '../decode/base64.ts'
import { derSequence, derTag } from '../decode/der.ts'
import { type PemBlock, pemBlocks } from '../decode/pem.ts'
import { certificateKey, type PublicKey, publicKeyOf, readSpki, rsaNumbers } from './public-key.ts'
import { readSshLine } from './ssh-key.ts'

/**
 * The keys in a text that is no JSON: PEM public keys and certificates with anything around them, SSH
 * public keys a line each, or the bare base64 of any of these. `where` names the place of the text
 * where it is a part of something, as in `the key "release"`.
 */
export function keysInText(text: string, where = ''): FoundKeys {
  // Environment files write a line break as two characters.
  const lines = text.includes('-----BEGIN') ? text.replaceAll('\\n', '\n') : text
  if (isOtherPrivateKey(lines)) return aPrivateKey(where)
  const blocks = pemBlocks(lines)
  if (blocks.length > 1 && blocks.every(({ from }) => isYamlValue(lines, from)))
    return notAKey(where, yamlKeys)
  const inPem = blocks.map((block) => ofBlock(block, where))
  const all = allFound([...inPem, ...sshKeys(outsideOf(blocks, lines), where)])
  if (all.keys.length > 0 || all.mistakes.length > 0) return all
  const isYaml = /^\s*(?:- )?[\w./"'-]+:(?:\s|$)/.test(text)
  return keysInBase64(text, where) ?? notAKey(where, isYaml ? yamlKeys : noKey)
}

/** Whether what begins there is the value of a YAML key, which names it. */
function isYamlValue(text: string, from: number): boolean {
  return /[^\s:]:[ \t]*(?:[|>][-+\d]*\s*|["']\s*)$/.test(text.slice(Math.max(0, from - 200), from))
}

const yamlKeys =
  'This is YAML, whose key names would be lost. Paste one key at a time, or JSON with a name for each: ' +
  '{"release": "-----BEGIN PUBLIC KEY-----…"}.'

const noKey =
  'No public key found. A key is a PEM block (PUBLIC KEY or CERTIFICATE), a JSON Web Key, ' +
  'or an SSH public key such as "ssh-ed25519 AAAA…".'

/** PuTTY's and age's private keys, which are no PEM. */
function isOtherPrivateKey(text: string): boolean {
  return text.includes('PuTTY-User-Key-File') || text.includes('AGE-SECRET-KEY-')
}

function ofBlock({ label, base64, line, isClosed }: PemBlock, where: string): FoundKeys {
  const place = where === '' ? `line ${line}` : where
  if (label.includes('PRIVATE KEY')) return aPrivateKey(place)
  const name = shownLabel(label)
  if (!isClosed) return notAKey(place, `The end is missing: "-----END ${name}-----".`)
  const bytes = decodeBase64(base64)
  if (!bytes.ok) return notAKey(place, `The text between BEGIN and END isn't base64.`)
  return (
    ofDer(bytes.bytes, place) ??
    notAKey(
      place,
      `The block "${name}" isn't a public key or certificate, or its point isn't on the curve.`,
    )
  )
}

/** The key of DER data of any kind, or undefined where it is nothing known. */
function ofDer(bytes: Uint8Array, where: string): FoundKeys | undefined {
  if (isPrivateDer(bytes)) return aPrivateKey(where)
  const key = readSpki(bytes) ?? publicKeyOf(rsaNumbers(bytes))
  if (key) return found({ key })
  const ofCertificate = certificateKey(bytes)
  return ofCertificate && found({ key: ofCertificate, certificate: toBase64(bytes) })
}

/** PKCS#1, SEC 1 and PKCS#8 private keys begin with a version of 0 or 1; nothing public has so small an integer. */
function isPrivateDer(bytes: Uint8Array): boolean {
  const [version, next] = derSequence(bytes) ?? []
  const isVersion = version?.tag === derTag.integer && version.to === version.contentFrom + 1
  return isVersion && next !== undefined && (bytes[version.contentFrom] ?? 2) < 2
}

/** The text with its PEM blocks blanked out, line for line. */
function outsideOf(blocks: readonly PemBlock[], text: string): string {
  let outside = ''
  let at = 0
  for (const { from, to } of blocks) {
    outside += text.slice(at, from) + text.slice(from, to).replaceAll(/[^\n]/g, ' ')
    at = to
  }
  return outside + text.slice(at)
}

function sshKeys(text: string, where: string): FoundKeys[] {
  return text.split('\n').flatMap((line, at) => {
    const result = readSshLine(line)
    if (!result) return []
    const place: KeyMistake['where'] = where === '' ? `line ${at + 1}` : where
    if (!result.ok) return [notAKey(place, result.problem)]
    return [found({ key: result.key, name: result.comment === '' ? undefined : result.comment })]
  })
}

/** The base64 of DER, or of a text that holds keys (`pemBase64`). */
function keysInBase64(text: string, where: string): FoundKeys | undefined {
  const bytes = decodeBase64(text.trim())
  if (!bytes.ok) return undefined
  const inner = new TextDecoder().decode(bytes.bytes)
  const holdsKeys =
    inner.includes('-----BEGIN ') || isOtherPrivateKey(inner) || readSshLine(inner) !== undefined
  return holdsKeys ? keysInText(inner, where) : ofDer(bytes.bytes, where)
}

/** A label is anyone's text: only so much of it is repeated. */
function shownLabel(label: string): string {
  return label.replaceAll(/[^ -~]/g, '?').slice(0, 40)
}

/** A public key as it was found, before anyone gave it an origin. */
export interface FoundKey {
  readonly key: PublicKey
  /** The name that stood beside it: a name in a map, a `kid`, the comment of an SSH key. */
  readonly name?: string | undefined
  /** The certificate it is from: base64 DER. */
  readonly certificate?: string | undefined
  readonly jwsAlgorithm?: string | undefined
  /** Key ids that were listed beside it. */
  readonly keyIds?: readonly string[] | undefined
}

/** Something that was to be a key and is none. */
export interface KeyMistake {
  /** Where it stands, such as "line 3" or `the key "release"`; "" where it is everything. */
  readonly where: string
  /** What is wrong and what to do, in plain words; it repeats nothing of a private key. */
  readonly message: string
  /** It is a secret: nothing of what held it may be kept or shown. */
  readonly code?: 'private-key'
}

export interface FoundKeys {
  readonly keys: readonly FoundKey[]
  readonly mistakes: readonly KeyMistake[]
}

/** All that was found in several places. */
export function allFound(parts: readonly FoundKeys[]): FoundKeys {
  return {
    keys: parts.flatMap(({ keys }) => keys),
    mistakes: parts.flatMap(({ mistakes }) => mistakes),
  }
}

/** One key and no mistake. */
export function found(key: FoundKey): FoundKeys {
  return { keys: [key], mistakes: [] }
}

/** One mistake and no key. */
export function notAKey(where: string, message: string): FoundKeys {
  return { keys: [], mistakes: [{ where, message }] }
}

/** A private key in place of a public one. */
export function aPrivateKey(where: string, message = privateKeyMessage): FoundKeys {
  return { keys: [], mistakes: [{ where, message, code: 'private-key' }] }
}

/** Whether something was a private key: then what held it is to be forgotten. */
export function hasPrivateKey(mistakes: readonly KeyMistake[]): boolean {
  return mistakes.some(({ code }) => code === 'private-key')
}

/** What is said of a private key, wherever it was found. */
export const privateKeyMessage =
  "This is a private key, so it wasn't stored. Anyone who has it can sign in your name. Keep it safe, " +
  'and use the public key instead (openssl pkey -pubout, or ssh-keygen -y).'
