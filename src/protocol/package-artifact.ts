/** A text of a form, read: its value, or what is wrong with it in a plain sentence. */
export type FieldReading =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly mistake: string }

/** Reads a SHA-256 digest as people have it, with or without `sha256:`; lower-case hex comes out. */
export function readSha256(text: string): FieldReading {
  const digest = text
    .trim()
    .toLowerCase()
    .replace(/^sha-?256[:=]/, '')
  if (digest === '') return mistake('The digest is missing: 64 hexadecimal digits.')
  const foreign = /[^0-9a-f]/.exec(digest)
  if (foreign !== null) {
    return mistake(
      `A SHA-256 digest has hexadecimal digits only, but character ${foreign.index + 1} is “${foreign[0]}”.`,
    )
  }
  return digest.length === 64
    ? { ok: true, value: digest }
    : mistake(`A SHA-256 digest has 64 hexadecimal digits, but this has ${digest.length}.`)
}

/**
 * Reads where a package is located: a host with a path, with or without `https://`
 * (docs/services.md#package-artifact). It comes out as it was written, as servers compare it with
 * what was published.
 */
export function readRepositoryUrl(text: string): FieldReading {
  const url = text.trim()
  if (url === '') return mistake('The repository is missing: a host with a path.')
  if (/[\s"<>\\^`{|}]/.test(url)) {
    return mistake('The repository holds a space or another character that no address has.')
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'https' && scheme !== 'http') {
    return mistake(`The repository begins with “${scheme}://”; it is https://, http:// or none.`)
  }
  const whole = scheme === undefined ? `https://${url}` : url
  if (!URL.canParse(whole)) return mistake('The repository is no host with a path.')
  const { username, password } = new URL(whole)
  return username === '' && password === ''
    ? { ok: true, value: url }
    : mistake('The repository holds a user or password: leave them out.')
}

/** Reads the name of a policy scan, as it stands in an address. */
export function readScanName(text: string): FieldReading {
  const name = text.trim()
  if (name === '') return mistake('The name of the policy scan is missing.')
  if (name.includes('/')) return mistake('The name of a policy scan has no slash.')
  return name.length <= 256
    ? { ok: true, value: name }
    : mistake('The name of a policy scan has at most 256 characters.')
}

function mistake(sentence: string): FieldReading {
  return { ok: false, mistake: sentence }
}
