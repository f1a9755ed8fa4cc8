/** Access keys by the host of the server that each is for, in lower case. */
export type AccessKeys = ReadonlyMap<string, string>

/** What can be sent as a bearer token (RFC 9110 section 5.5). */
const sendable = /^[\x21-\x7e]+$/

/**
 * What a setting for an access key holds: the key itself, or keys by host as build tools have them:
 * `host=key;host=key` as in DEVELOCITY_ACCESS_KEY, or the lines of a `keys.properties` file
 * (docs/services.md#access-keys). Undefined for anything else.
 */
export function readAccessKeys(text: string): string | AccessKeys | undefined {
  // A key may end with the padding of base64.
  const isOneKey = sendable.test(text) && !/=[^=;]/.test(text)
  if (isOneKey) return text
  const entries = /[\r\n]|^\s*[#!]/.test(text) ? propertiesIn(text) : listIn(text)
  const keys = new Map<string, string>()
  for (const { hosts, key } of entries) {
    if (!sendable.test(key)) return undefined
    for (const host of hosts.split(',').map((name) => name.trim().toLowerCase())) {
      if (!/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/.test(host)) return undefined
      keys.set(host, key)
    }
  }
  return keys.size === 0 ? undefined : keys
}

/**
 * The key for a server, by its host with the port and by its host alone. Undefined where there is
 * none for it.
 */
export function accessKeyFor(keys: string | AccessKeys, url: URL): string | undefined {
  return typeof keys === 'string' ? keys : (keys.get(url.host) ?? keys.get(url.hostname))
}

interface Entry {
  readonly hosts: string
  readonly key: string
}

function listIn(text: string): readonly Entry[] {
  return text
    .split(';')
    .filter((entry) => entry.trim() !== '')
    .map(entryOf)
}

/** One `host=key`; the host may have a port, and the key signs of equality. */
function entryOf(text: string): Entry {
  const at = text.indexOf('=')
  return at === -1
    ? { hosts: '', key: '' }
    : { hosts: text.slice(0, at).trim(), key: text.slice(at + 1).trim() }
}

/** The lines of a Java properties file that are neither empty nor comments, without escapes. */
function propertiesIn(text: string): readonly Entry[] {
  return text
    .replace(/\\\r?\n[ \t]*/g, '')
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#!]/.test(line))
    .map((line) => {
      // The separator is the first sign of equality, as hosts may have a colon before a port.
      const separator = /(?<!\\)(?:\\\\)*=/.exec(line)
      if (separator === null) return { hosts: '', key: '' }
      const at = separator.index + separator[0].length
      return {
        hosts: unescaped(line.slice(0, at - 1)).trim(),
        key: unescaped(line.slice(at)).trim(),
      }
    })
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|(.))/gi, (_all, code?: string, sign?: string) =>
    code === undefined ? (sign ?? '') : String.fromCharCode(parseInt(code, 16)),
  )
}
