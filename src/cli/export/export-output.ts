import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { parsedJson } from '../../protocol/parsed-text.ts'
import { lineVersion } from './export-line.ts'
import { type Portion, type Position, positionAfter } from './feed-order.ts'

/** A file that lines are added to. Everything throws where the file system refuses. */
export interface LinesFile {
  readonly size: () => number
  /** At most `most` bytes from a place on. */
  readonly read: (from: number, most: number) => Uint8Array
  readonly cut: (size: number) => void
  /** Adds text at the end; it is on the disk when this returns, with how many bytes it became. */
  readonly append: (text: string) => number
  readonly close: () => void
}

/** A pipe or a device that lines are written to, which has no content to look at. */
export interface LinesPipe {
  /** Resolves when its reader has taken the text, with false where nobody reads any more or `signal` aborts. Rejects where it can't be written. */
  readonly write: (text: string, signal: AbortSignal) => Promise<boolean>
  readonly close: () => void
}

/** Where an export writes to; main.ts hands in the real one. */
export interface ExportDisk {
  /** Opens what is there and is no file; undefined for a file, or where nothing is. Throws where the system refuses. */
  readonly openPipe: (path: string) => LinesPipe | undefined
  /** Opens a file, or makes it. */
  readonly openLines: (path: string) => LinesFile
  /** The text of a state file; undefined where there is none. */
  readonly readState: (path: string) => string | undefined
  /** Replaces it, all of it or nothing; it is on the disk when this returns. */
  readonly saveState: (path: string, text: string) => void
}

/** The disk of this machine. */
export const exportDisk: ExportDisk = {
  openPipe: (path) => {
    const there = statSync(path, { throwIfNoEntry: false })
    return there === undefined || there.isFile() || there.isDirectory()
      ? undefined
      : linesPipe(path, there.isFIFO())
  },
  openLines: (path) => {
    const file = openSync(path, 'a+')
    return {
      size: () => fstatSync(file).size,
      read: (from, most) => {
        const bytes = Buffer.alloc(most)
        return bytes.subarray(0, readSync(file, bytes, 0, most, from))
      },
      cut: (size) => {
        ftruncateSync(file, size)
        fsyncSync(file)
      },
      append: (text) => {
        writeAll(file, text)
        return Buffer.byteLength(text)
      },
      close: () => {
        closeSync(file)
      },
    }
  },
  readState: (path) => {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  },
  saveState: (path, text) => {
    // Always the same name: what a kill leaves behind is overwritten.
    const file = openSync(`${path}.tmp`, 'w')
    try {
      writeAll(file, text)
    } finally {
      closeSync(file)
    }
    renameSync(`${path}.tmp`, path)
  },
}

/** How often it is looked whether somebody reads a named pipe, ms. */
const readerMs = 50

function linesPipe(path: string, isNamedPipe: boolean): LinesPipe {
  let stream = opened()

  /** Undefined while nobody reads it: waiting for that in `open` could not be ended. */
  function opened(): Writable | undefined {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      const made = isNamedPipe
        ? new Socket({ fd, readable: false, writable: true })
        : createWriteStream(path, { fd })
      // Each write says for itself what went wrong.
      return made.on('error', () => undefined)
    } catch (error) {
      if (isNamedPipe && error instanceof Error && 'code' in error && error.code === 'ENXIO')
        return undefined
      throw error
    }
  }

  return {
    write: async (text, signal) => {
      for (;;) {
        if (signal.aborted) return false
        stream ??= opened()
        if (stream !== undefined) break
        await pause(readerMs)
      }
      const to = stream
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          resolve(false)
        }
        signal.addEventListener('abort', leave)
        to.write(text, (error) => {
          signal.removeEventListener('abort', leave)
          const code = error instanceof Error && 'code' in error ? error.code : undefined
          if (error && code !== 'EPIPE' && code !== 'ERR_STREAM_DESTROYED') reject(error)
          else resolve(!error)
        })
      })
    },
    close: () => {
      stream?.destroy()
    },
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
  fsyncSync(file)
}

const PositionSchema = z.union([
  z.object({ kind: z.literal('now') }),
  z.object({ kind: z.literal('instant'), at: z.number() }),
  z.object({
    kind: z.literal('after'),
    id: z.string(),
    receivedAt: z.number(),
  }),
])

/** What `--state` keeps: up to where everything is written, and into what. */
const State = z.object({
  version: z.literal(lineVersion),
  query: z.string(),
  /** The file of the lines, or null for standard output. */
  output: z.nullable(z.string()),
  /** How large that file was when all up to the position was in it. */
  bytes: z.number(),
  position: PositionSchema,
  /** The newest builds that were handled, as a server may repeat them. */
  handled: z.array(z.string()).default([]),
})
type State = z.infer<typeof State>

/** Where an export goes. */
export interface ExportTarget {
  readonly output: string | undefined
  readonly state: string | undefined
  readonly query: string
  /** Where it begins unless a state says more. */
  readonly from: Position
}

/** The file system refuses, or standard output does; the message is a sentence that names what can't be read or written. */
export class OutputFault extends Error {}

/** The lines of an export on their way, and from where on they are wanted. */
export interface ExportOutput {
  readonly from: Position
  /** The newest builds that were handled before, oldest first. */
  readonly handled: readonly string[]
  /**
   * Writes the lines of a portion, then remembers that everything up to its position is written. Resolves when the reader of standard output has
   * taken them, with false where nobody reads any more. Throws an OutputFault.
   */
  readonly write: (lines: string, portion: Portion) => Promise<boolean>
  /** All is written: of what an earlier export left in the file nothing stays, also where there was nothing to write. Throws an OutputFault. */
  readonly finish: () => void
  readonly close: () => void
}

/** An output, or why it can't be continued. */
export type OpenedOutput =
  | { readonly ok: true; readonly output: ExportOutput }
  | { readonly ok: false; readonly mistake: string }

/**
 * Opens the output, and takes up where the last run ended, however it ended: lines that are written but not yet in the state
 * count as written, and a line that was cut off is removed. Throws an OutputFault.
 */
export function openOutput(
  { output: path, state: statePath, query, from }: ExportTarget,
  {
    disk,
    printAll,
    signal,
  }: {
    readonly disk: ExportDisk
    readonly printAll: (text: string) => Promise<boolean>
    readonly signal: AbortSignal
  },
): OpenedOutput {
  const output = path ?? null
  const { onLines, onState } = faultsOf(path, statePath)
  if (path !== undefined && statePath !== undefined && resolve(path) === resolve(statePath)) {
    return wrong(`--output and --state are both ${path}. Use two files.`)
  }
  const text =
    statePath === undefined ? undefined : onState('read', () => disk.readState(statePath))
  const kept = text === undefined ? undefined : State.safeParse(parsedJson(text)).data
  if (text !== undefined && kept === undefined) {
    return wrong(`--state: ${statePath ?? ''} isn't a state of this release. Use another file.`)
  }
  if (kept !== undefined && (kept.query !== query || kept.output !== output)) {
    return wrong(
      `--state: ${statePath ?? ''} belongs to an export with another ${kept.query === query ? 'output' : 'query'}. Use another file.`,
    )
  }
  const pipe = path === undefined ? undefined : onLines(() => disk.openPipe(path))
  const file =
    path === undefined || pipe !== undefined ? undefined : onLines(() => disk.openLines(path))
  const pass = (lines: string): Promise<boolean> =>
    pipe === undefined ? printAll(lines) : pipe.write(lines, signal)
  const notWritten =
    pipe === undefined ? "Can't write to standard output" : `--output: can't write ${path ?? ''}`
  let bytes = file?.size() ?? 0
  /** Of an earlier export: it stays until this one has something in its place. */
  let isStale = false
  let position = kept?.position ?? from
  let handled = kept?.handled ?? []
  if (file !== undefined && kept !== undefined) {
    if (bytes < kept.bytes) {
      file.close()
      return wrong(
        `--output: ${path ?? ''} is shorter than --state says. Restore it, or begin anew with another file and state.`,
      )
    }
    const tail = onLines(() => readTail(file, kept.bytes))
    if (tail === undefined) {
      file.close()
      return wrong(
        `--output: ${path ?? ''} has a line that no export wrote, after byte ${kept.bytes}. Remove it, or begin anew with another file and state.`,
      )
    }
    if (tail.end < bytes)
      onLines(() => {
        file.cut(tail.end)
      })
    bytes = tail.end
    for (const { id, receivedAt } of tail.builds) position = positionAfter(position, id, receivedAt)
    handled = [...handled, ...tail.builds.map(({ id }) => id)].slice(-mostHandled)
  } else if (file !== undefined && bytes > 0) {
    if (statePath !== undefined) {
      file.close()
      return wrong(
        `--output: ${path ?? ''} has content, but --state doesn't exist. Use another file.`,
      )
    }
    isStale = true
    bytes = 0
  }
  const replace = (): void => {
    if (!isStale) return
    isStale = false
    onLines(() => {
      file?.cut(0)
    })
  }
  const save = (): void => {
    if (statePath === undefined) return
    const state: State = { version: lineVersion, query, output, bytes, position, handled }
    onState('write', () => {
      disk.saveState(statePath, `${JSON.stringify(state)}\n`)
    })
  }
  save()
  return {
    ok: true,
    output: {
      from: position,
      handled,
      finish: replace,
      write: async (lines, portion) => {
        if (lines !== '') {
          replace()
          if (file === undefined) {
            const taken = await pass(lines).catch((error: unknown) => {
              throw faultOf(notWritten, error)
            })
            if (!taken) return false
          } else {
            bytes += onLines(() => file.append(lines))
          }
        }
        if (portion.builds.length > 0 || portion.position !== position) {
          position = portion.position
          const ids = portion.builds.map(({ build }) => build.buildId)
          handled = [...handled, ...ids].slice(-mostHandled)
          save()
        }
        return true
      },
      close: () => {
        file?.close()
        pipe?.close()
      },
    },
  }
}

/** Runs what reads or writes a file; its fault becomes a sentence that names the file. */
function faultsOf(path = '', statePath = '') {
  function orFault<T>(sentence: string, act: () => T): T {
    try {
      return act()
    } catch (error) {
      throw faultOf(sentence, error)
    }
  }
  return {
    onLines: <T>(act: () => T): T => orFault(`--output: can't write ${path}`, act),
    onState: <T>(what: 'read' | 'write', act: () => T): T =>
      orFault(`--state: can't ${what} ${statePath}`, act),
  }
}

/** What isn't the system's is passed on as it is. */
function faultOf(sentence: string, error: unknown): unknown {
  return error instanceof Error && 'code' in error
    ? new OutputFault(`${sentence} (${String(error.code)}).`, { cause: error })
    : error
}

function wrong(mistake: string): OpenedOutput {
  return { ok: false, mistake }
}

/** What is read of a line to go on after it. */
const WrittenLine = z.object({ id: z.string(), receivedAt: z.iso.datetime() })

interface Tail {
  readonly end: number
  readonly builds: readonly { readonly id: string; readonly receivedAt: number }[]
}

/** The end of the last whole line after a place, and the builds up to there; undefined where a line isn't one of an export. */
function readTail(file: LinesFile, from: number): Tail | undefined {
  const builds: Tail['builds'][number][] = []
  let end = from
  for (;;) {
    const bytes = Buffer.from(file.read(end, mostTailBytes))
    const last = bytes.lastIndexOf(0x0a)
    if (last === -1) return { end, builds }
    for (const line of bytes.subarray(0, last).toString('utf8').split('\n')) {
      const written = WrittenLine.safeParse(parsedJson(line))
      if (!written.success) return undefined
      const { id, receivedAt } = written.data
      builds.push({ id, receivedAt: Date.parse(receivedAt) })
    }
    end += last + 1
  }
}

/** A line is far shorter. */
const mostTailBytes = 8 * 1024 * 1024

/** More than a server repeats; some 30 kB, as all of it is written with each write. */
const mostHandled = 2000
