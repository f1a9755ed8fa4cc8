import { Buffer as Base } from 'buffer/'
import { addWebStreams } from './web-streams.ts'

// What Node's code takes for granted, set before any of it is loaded.

/** The package reads base64url as base64, but knows no such name. */
const plainFrom = Base.from.bind(Base)
const plainText: unknown = Reflect.get(Base.prototype, 'toString')

Object.assign(Base, {
  from: (value: never, encoding: unknown, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(plainFrom, Base, [
      value,
      encoding === 'base64url' ? 'base64' : encoding,
      ...rest,
    ]),
})
Object.assign(Base.prototype, {
  toString(this: Base, encoding?: string, ...range: readonly unknown[]): string {
    const isUrl = encoding === 'base64url'
    const text =
      typeof plainText === 'function'
        ? String(Reflect.apply(plainText, this, [isUrl ? 'base64' : encoding, ...range]))
        : ''
    return isUrl ? text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') : text
  },
})

const waiting: (() => void)[] = []
const { port1, port2 } = new MessageChannel()
port1.onmessage = () => {
  waiting.shift()?.()
}

Object.assign(globalThis, {
  Buffer: Base,
  /** Runs after what waits already; a timer would wait 4 ms each time. */
  setImmediate: (callback: () => void) => {
    waiting.push(callback)
    port2.postMessage(null)
  },
})

addWebStreams()
