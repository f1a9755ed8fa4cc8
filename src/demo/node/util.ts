type Done = (error?: Error | null, value?: unknown) => void

/** A function that takes a callback last as one that returns a promise. */
export function promisify(run: (...given: unknown[]) => void) {
  return (...given: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const done: Done = (error, value) => {
        if (error === undefined || error === null) resolve(value)
        else reject(error)
      }
      run(...given, done)
    })
}

/** For sentences of programming errors only. */
export const format = String
export const inspect = String
