/** How long a screen's credential is valid without being used, ms. */
export const screenLifetimeMs = 90 * 24 * 60 * 60 * 1000

/** The bearer token of a screen: its id, and a secret of `makeSecret`. */
export function screenToken(id: string, secret: string): string {
  return `screen_${id}_${secret}`
}

/** The parts of a screen's token in an Authorization header; undefined for every other header. */
export function readScreenToken(
  authorization: string | undefined,
): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] =
    /^[Bb]earer screen_([0-9a-f]{16})_([\w-]{43})$/.exec(authorization ?? '') ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}
