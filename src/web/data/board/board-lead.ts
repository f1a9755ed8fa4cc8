/** The part of Web Locks that is used. */
export interface BoardLocks {
  readonly request: (
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<void>,
  ) => Promise<unknown>
}

/**
 * Waits until no other tab evaluates this board; resolves with what lets the next tab in, or with
 * undefined when `signal` aborted before. Without Web Locks (a page that is not served securely) each
 * tab is alone.
 */
export async function leadBoard(
  locks: BoardLocks | undefined,
  board: string,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  if (locks === undefined) return () => undefined
  return new Promise((resolve) => {
    const held = (): Promise<void> =>
      new Promise((release) => {
        resolve(release)
      })
    locks.request(`sightline.board.${board}`, { signal }, held).catch(() => {
      resolve(undefined)
    })
  })
}
