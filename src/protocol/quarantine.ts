import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { TestId } from './test-insight.ts'

/**
 * Where tests are kept that may fail for a while: `GET` for those that are quarantined now, `POST` for
 * another one, `POST …/:id/end`, and `GET` with `format` for a file that a build reads (docs/tests.md).
 */
export const quarantinePath = '/history/quarantine'

/** As many days ahead a quarantine may end at most, and as many tests may be in it. */
export const longestQuarantineDays = 90
export const mostQuarantined = 5_000

/** A test whose failures are known and accepted until a date. */
export const QuarantinedTest = z.looseObject({
  id: z.string().check(z.minLength(1)),
  test: TestId,
  reason: z.string(),
  /** When it ends by itself, epoch ms. */
  until: EpochMs,
  /** The user of the session that asked for it, and when. */
  by: z.string(),
  createdAt: EpochMs,
})
export type QuarantinedTest = z.infer<typeof QuarantinedTest>

/** What somebody asks for who quarantines a test. A test that is quarantined already gets the new date and reason. */
export const NewQuarantine = z.object({
  test: TestId,
  reason: z.string().check(z.trim(), z.minLength(1), z.maxLength(2_000)),
  until: EpochMs,
})
export type NewQuarantine = z.infer<typeof NewQuarantine>

/** The answer of `GET /history/quarantine`, the first to end first. */
export const QuarantineList = z.looseObject({ quarantined: z.array(QuarantinedTest) })
export type QuarantineList = z.infer<typeof QuarantineList>

/** The files that builds read: patterns for Gradle's and Surefire's exclusions, JSON and CSV. */
export const quarantineFormats = ['gradle', 'surefire', 'json', 'csv'] as const
export type QuarantineFormat = (typeof quarantineFormats)[number]

/** The address of such a file; of all projects unless one is named. */
export function quarantineFile(format: QuarantineFormat, project?: string): string {
  const search = new URLSearchParams({ format, ...(project === undefined ? {} : { project }) })
  return `${quarantinePath}?${search.toString()}`
}

/** A key that is equal for the same test. */
export function testKey({ project, task, className, name }: TestId): string {
  return JSON.stringify([project, task, className, name])
}
