/** A shorter one would be found in words of a report that have nothing to do with it. */
const shortest = 6

/**
 * Takes secrets out of whatever is shown, in every form in which they travel: the last line of
 * defence, should a server repeat what it was sent.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, ''),
    encodeURIComponent(secret),
    // As a report in JSON or XML would write it.
    JSON.stringify(secret).slice(1, -1),
  ])
  // Longest first, so that no secret is left half replaced by a shorter one inside it.
  const sought = [...new Set(forms)]
    .filter((text) => text.length >= shortest)
    .sort((a, b) => b.length - a.length)
  return (text) => sought.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}
