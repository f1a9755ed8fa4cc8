/** Longer ones are no addresses that anybody wrote. */
const longest = 2000

/** An address that may be led to: http or https, and nobody's name in front of the host. */
export function webAddress(text: string): { href: string; host: string } | undefined {
  if (text.length > longest || !/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) {
    return undefined
  }
  const { href, host, username, password } = new URL(text)
  return host === '' || username !== '' || password !== '' ? undefined : { href, host }
}
