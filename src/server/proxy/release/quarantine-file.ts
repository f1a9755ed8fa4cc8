import { csvLine } from '../../../protocol/csv.ts'
import type { QuarantinedTest, QuarantineFormat } from '../../../protocol/quarantine.ts'

/** A file of quarantined tests for a build. */
export interface QuarantineFile {
  readonly mediaType: string
  readonly text: string
}

/** Writes the file; names and reasons never break out of their line. */
export function quarantineFileOf(
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

/** A comment and a pattern for each test. One without a class can't be written as a pattern. */
function patterns(tests: readonly QuarantinedTest[], before: '.' | '#'): string {
  return tests
    .flatMap(({ test, reason, until, by }) => {
      const { project, task, className, name } = test
      if (className === null) return []
      const where = [project, task].filter((part) => part !== null && part !== '').join(' ')
      const why = `# ${where}, until ${new Date(until).toISOString()}, ${by}: ${reason}`
      return [inOneLine(why), inOneLine(`${className}${before}${methodOf(name)}`)]
    })
    .map((line) => `${line}\n`)
    .join('')
}

/** JUnit 5 reports `adds()` and `adds(int)[2]` of the method `adds`, which is what filters go by. */
function methodOf(name: string): string {
  const [, method = name] = /^([^\s([]+)\s*[([]/.exec(name) ?? []
  return method
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
