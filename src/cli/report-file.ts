import { randomUUID } from 'node:crypto'
import {
  closeSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Clock } from '../protocol/clock.ts'
import type { ExportDisk } from './export/export-output.ts'

/** A file that will hold a report: all of it, or what it held before. */
export interface ReportFile {
  /** Writes the report in its place. Throws where the file system refuses. */
  readonly save: (content: string | Uint8Array) => void
  /** Leaves everything as it was. */
  readonly discard: () => void
}

/** Takes a place for a report. Throws an error with a code, such as `ENOENT`, where none can be had. */
type OpenReport = (path: string) => ReportFile

/**
 * Takes a place beside `path` at once, so that a folder that is missing is known before anything is
 * asked, and moves the report over `path` when it is whole. A device or a pipe is written to as it is.
 */
export const openReportFile: OpenReport = (path) => {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) throw Object.assign(new Error('a folder'), { code: 'EISDIR' })
  if (there?.isFile() === false) {
    return {
      save: (content) => {
        writeFileSync(path, content)
      },
      discard: () => undefined,
    }
  }
  // Through a link to the file that it names, so that the link stays one.
  const place = there === undefined ? path : realpathSync(path)
  const beside = `${place}.${randomUUID().slice(0, 8)}.tmp`
  closeSync(openSync(beside, 'wx'))
  return {
    save: (content) => {
      writeFileSync(beside, content)
      renameSync(beside, place)
    },
    discard: () => {
      rmSync(beside, { force: true })
    },
  }
}

/** What the command line tool touches of its surroundings; main.ts hands in the real ones. */
export interface Host {
  /** Arguments, without the program's name. */
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string
  readonly openReport: OpenReport
  /** Adds to a file, or makes it. Throws where the file system refuses. */
  readonly appendFile: (path: string, text: string) => void
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** Writes to standard output: the report, and nothing else. */
  readonly print: (text: string) => void
  /**
   * The same for much text: resolves when its reader has taken it, with false where nobody reads any more. Rejects where it can't
   * be written, as on a full disk.
   */
  readonly printAll: (text: string) => Promise<boolean>
  /** Where an export goes that isn't printed. */
  readonly disk: ExportDisk
  /** Writes a line to standard error: progress, and what is wrong. */
  readonly log: (line: string) => void
  /** Whether standard output is a terminal that shows colours. */
  readonly isColourTerminal: boolean
  /** Aborts when the person or the pipeline wants an end. */
  readonly signal: AbortSignal
  readonly version: string
}
