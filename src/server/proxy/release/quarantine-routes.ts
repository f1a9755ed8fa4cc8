import { z } from 'zod'
import { utcText } from '../../../policy/scan-report.ts'
import { countOf } from '../../../protocol/count.ts'
import { csvLine } from '../../../protocol/untrusted-text.ts'
import { problemError } from '../../../protocol/problem.ts'
import { fullTestName, testFilter } from '../../../protocol/test-insight.ts'
import {
  longestQuarantineDays,
  mostQuarantined,
  type QuarantinedTest,
  type QuarantineFormat,
  quarantineFormats,
} from '../../../protocol/quarantine.ts'
import {
  auditedTest,
  endQuarantine,
  listQuarantined,
  quarantineTest,
} from '../../store/quarantine.ts'
import { originOf } from '../history/audit.ts'
import type { HistoryOptions } from '../history/history.ts'
import { checkedBody, readJsonBody, readListQuery, textUpTo, timeWithin } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'

/** `GET /history/quarantine`: a list, or with `format` a file for a build, of one project or of all. */
export function quarantineList({ database, clock }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { format, project } = readListQuery(c, ['format', 'project'])
    const all = await listQuarantined(database, clock.now())
    const quarantined = all.filter(
      ({ test }) => project === undefined || (test.project ?? '') === project,
    )
    if (format === undefined) return c.json({ quarantined })
    const known = quarantineFormats.find((one) => one === format)
    if (known === undefined) {
      const sentence = `The format must be ${quarantineFormats.slice(0, -1).join(', ')} or ${quarantineFormats.at(-1) ?? ''}.`
      throw problemError(400, 'bad-format', 'Unknown format', sentence)
    }
    const { mediaType, text } = quarantineFileOf(known, quarantined)
    return c.body(text, 200, { 'content-type': mediaType })
  }
}

/** `POST /history/quarantine`: answers 201 with the test, quarantined by the user of the session. */
export function quarantineNewTest({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const at = clock.now()
    const asked = checkedBody(await readJsonBody(c), bodyAt(at), badQuarantine)
    const { test, until, reason } = asked
    const detail = `Quarantined ${auditedTest(test)} until ${utcText(until)}. Reason: ${reason}`
    const quarantined = await quarantineTest(database, asked, { ...originOf(c), at, detail })
    if (quarantined === undefined) {
      const sentence = `At most ${countOf(mostQuarantined, 'test')} can be quarantined. End the quarantine of others first.`
      throw problemError(409, 'quarantine-full', 'Too many quarantined tests', sentence)
    }
    changes.publish('quarantine', asked.test.project ?? '')
    return c.json(quarantined, 201)
  }
}

/** `POST /history/quarantine/:id/end`: answers what it was, and 409 where it is over or was replaced. */
export function endTestQuarantine({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    const ended = await endQuarantine(database, id, { ...originOf(c), at: clock.now() })
    if (ended === undefined) {
      const sentence = 'The quarantine of this test has already ended, or somebody changed it.'
      throw problemError(409, 'quarantine-is-over', 'Quarantine already ended', sentence)
    }
    changes.publish('quarantine', ended.test.project ?? '')
    return c.json(ended)
  }
}

const badQuarantine = { code: 'bad-quarantine', title: 'Bad quarantine' }

// Messages follow the name of their field.
const bodyAt = (now: number) =>
  z.object(
    {
      test: z.object(
        {
          project: textUpTo(1_000).nullable(),
          task: textUpTo(4_000),
          className: textUpTo(1_000).nullable(),
          name: textUpTo(1_000).min(1, 'is empty.'),
        },
        'must be a test with project, task, className and name.',
      ),
      reason: textUpTo(2_000).trim().min(1, 'is empty.'),
      until: timeWithin(now, longestQuarantineDays),
    },
    'The body must be a JSON object with test, reason and until.',
  )

/** A file of quarantined tests for a build. */
interface QuarantineFile {
  readonly mediaType: string
  readonly text: string
}

/** Writes the file; names and reasons never break out of their line. */
function quarantineFileOf(
  format: QuarantineFormat,
  tests: readonly QuarantinedTest[],
): QuarantineFile {
  switch (format) {
    case 'gradle':
      return { mediaType: 'text/plain; charset=utf-8', text: patterns(tests, '.') }
    case 'surefire':
      return { mediaType: 'text/plain; charset=utf-8', text: patterns(tests, '#') }
    case 'csv':
      return { mediaType: 'text/csv; charset=utf-8', text: table(tests) }
    case 'json':
      return { mediaType: 'application/json', text: `${JSON.stringify(tests, undefined, 2)}\n` }
  }
}

/** What the runner reads as more than a letter of a name, and nothing escapes: one test's name must not exclude others. */
const wildcards = { '.': /\*/, '#': /[*?!%+,#]/ } as const

/** A comment and a pattern for each test. One without a class can't be written as a pattern, nor one with a wildcard. */
function patterns(tests: readonly QuarantinedTest[], before: '.' | '#'): string {
  return tests
    .flatMap(({ test, reason, until, by }) => {
      const { project, task } = test
      if (!test.className) return []
      const where = [project, task].filter((part) => part !== null && part !== '').join(' ')
      const why = `# ${where}, until ${new Date(until).toISOString()}, ${by}: ${reason}`
      const filter = testFilter(test, before)
      const isWide = wildcards[before].test(filter.replace(before, ''))
      return isWide
        ? [
            inOneLine(
              `# Left out, as its name would match others: ${fullTestName(test)}; ${why.slice(2)}`,
            ),
          ]
        : [inOneLine(why), inOneLine(filter)]
    })
    .map((line) => `${line}\n`)
    .join('')
}

function inOneLine(text: string): string {
  // By category, as no-control-regex refuses control characters by number.
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

function table(tests: readonly QuarantinedTest[]): string {
  const head = ['project', 'task', 'class', 'name', 'until', 'reason', 'by']
  return [
    head,
    ...tests.map(({ test, reason, until, by }) => [
      ...[test.project ?? '', test.task, test.className ?? '', test.name],
      ...[new Date(until).toISOString(), reason, by],
    ]),
  ]
    .map(csvLine)
    .join('')
}
