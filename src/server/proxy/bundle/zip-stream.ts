import { createHash } from 'node:crypto'
import { PassThrough, Readable, Transform } from 'node:stream'
import { ZipFile } from 'yazl'

/** A zip that is sent while it is written. */
export interface ZipStream {
  readonly output: PassThrough
  /**
   * Adds a file; resolves with its SHA-256 (lower-case hex) once all of it was taken by the reader.
   * Rejects once the reader has left, and with what the content throws. The name must be a `fileName`.
   */
  readonly add: (name: string, content: Uint8Array | string | Readable) => Promise<string>
  /** After the last file. */
  readonly end: () => void
}

/**
 * Begins a zip whose files all have the same time, epoch ms. One file is written at a time, in the
 * order in which they are added, and nothing is held beyond what is compressed just now.
 */
export function createZipStream(at: number): ZipStream {
  const zip = new ZipFile()
  const output = zip.outputStream.pipe(new PassThrough())
  const options = { mtime: new Date(at), mode: 0o100644 }
  let isOver = false
  let leave: (reason: Error) => void = () => undefined
  output.once('close', () => {
    isOver = true
    leave(new Error('the reader of the zip has left'))
  })
  return {
    output,
    add: (name, content) =>
      new Promise((resolve, reject) => {
        if (isOver) {
          reject(new Error('the zip has ended'))
          return
        }
        const hash = createHash('sha256')
        const hashed = new Transform({
          transform: (chunk: Buffer, _, done) => {
            hash.update(chunk)
            done(null, chunk)
          },
        })
        const source = content instanceof Readable ? content : Readable.from([Buffer.from(content)])
        const fail = (error: Error): void => {
          source.destroy()
          reject(error)
        }
        leave = fail
        source.once('error', fail)
        hashed.once('error', fail)
        hashed.once('end', () => {
          resolve(hash.digest('hex'))
        })
        zip.addReadStreamLazy(name, options, (give) => {
          give(null, source.pipe(hashed))
        })
      }),
    end: () => {
      zip.end()
    },
  }
}

/**
 * A text as a part of a file name that every system takes: ASCII letters, digits and `.@+_-`, no dot in
 * front, 80 characters at most. Different texts may come to the same name.
 */
export function fileName(text: string): string {
  const name = text
    .replace(/[^\w.@+-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  return name === '' ? 'unnamed' : name
}

/** Gives each name once: a later one of the same (whatever its case) gets a number. */
export function uniqueNames(): (name: string) => string {
  const taken = new Set<string>()
  return (name) => {
    let free = name
    for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${name}-${n}`
    taken.add(free.toLowerCase())
    return free
  }
}
