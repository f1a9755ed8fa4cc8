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

/** A file that will hold a report: all of it, or what it held before. */
export interface ReportFile {
  /** Writes the report in its place. Throws where the file system refuses. */
  readonly save: (text: string) => void
  /** Leaves everything as it was. */
  readonly discard: () => void
}

/** Takes a place for a report. Throws an error with a code, such as `ENOENT`, where none can be had. */
export type OpenReport = (path: string) => ReportFile

/**
 * Takes a place beside `path` at once, so that a folder that is missing is known before anything is
 * asked, and moves the report over `path` when it is whole. A device or a pipe is written to as it is.
 */
export const openReportFile: OpenReport = (path) => {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) throw Object.assign(new Error('a folder'), { code: 'EISDIR' })
  if (there?.isFile() === false) {
    return {
      save: (text) => {
        writeFileSync(path, text)
      },
      discard: () => undefined,
    }
  }
  // Through a link to the file that it names, so that the link stays one.
  const place = there === undefined ? path : realpathSync(path)
  const beside = `${place}.${randomUUID().slice(0, 8)}.tmp`
  closeSync(openSync(beside, 'wx'))
  return {
    save: (text) => {
      writeFileSync(beside, text)
      renameSync(beside, place)
    },
    discard: () => {
      rmSync(beside, { force: true })
    },
  }
}
