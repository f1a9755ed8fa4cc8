import { type BuildReport, reportMarkdown, reportText } from '../facts/build-report.ts'
import type { Connection } from './connection.ts'
import { durationWords } from './duration.ts'
import { terminalLine } from './without-secrets.ts'

/** A report of a build, and where it goes. */
export interface BuildCommand {
  readonly buildId: string
  readonly connection: Extract<Connection, { to: 'server' }>
  readonly format: BuildFormat
  /** A file; standard output where it is left out. */
  readonly output: string | undefined
  /** How long the server may take, with all attempts while it is busy or still stores the build, ms. */
  readonly timeoutMs: number
}

/** How a report of a build can be written. */
export const buildFormats = {
  text: (report) => reportText(report, durationWords, terminalLine),
  markdown: (report) => reportMarkdown(report, durationWords),
  json: (report) => `${JSON.stringify(withoutMarkdown(report), null, 2)}\n`,
} as const satisfies Readonly<Record<string, (report: BuildReport) => string>>
export type BuildFormat = keyof typeof buildFormats

/** Whether there is a format of this name. */
export function isBuildFormat(name: string): name is BuildFormat {
  return Object.hasOwn(buildFormats, name)
}

/** The same sentence twice is no use to a script. */
function withoutMarkdown(report: BuildReport): object {
  if (report.origin === null) return report
  const { summaryMarkdown: _, ...origin } = report.origin
  return { ...report, origin }
}
