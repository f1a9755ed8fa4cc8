// What of Node's modules the demo's code names but never needs there.

/** No signal has so many listeners that a warning would help. */
export function setMaxListeners(): void {
  // Browsers don't count them.
}

/** Lets whatever waits go first. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    globalThis.setImmediate(resolve)
  })
}

/** Nobody's word is taken for an address where nobody connects. */
export class BlockList {
  check(): boolean {
    return false
  }
}

export function isIP(): number {
  return 0
}

/** There is no response of Node's to cut: nothing is one. */
export const ServerResponse = Date

/** A log of a page: its faults are shown by the browser's console. */
export function pino(): object {
  const nothing = (): void => undefined
  const fault = (fields: { readonly err?: unknown }, message: string): void => {
    globalThis.reportError(fields.err ?? message)
  }
  const logger: object = {
    ...{ trace: nothing, debug: nothing, info: nothing, warn: nothing },
    ...{ error: fault, fatal: fault, child: () => logger },
  }
  return logger
}

/** There are no files to lock. */
export default function Libsql(): never {
  throw new Error('the demo has no files')
}
