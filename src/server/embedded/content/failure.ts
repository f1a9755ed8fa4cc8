import type { Commit } from './commits.ts'
import type { Cause, Job } from './jobs.ts'
import type { Project } from './projects.ts'
import { chance, pick, pickWeighted, type Random, whole } from './seeded-random.ts'
import type { Trouble } from './trouble.ts'

/** Why a build failed. */
export interface Failure {
  readonly cause: Cause
  /** Where. */
  readonly module: string
  /** The failing test, whatever the cause; only of interest where the cause is `test`. */
  readonly test: TestCase
  /** A line in a source file, for messages. */
  readonly line: number
  /** The build ended before even its project was known; with cause `configuration` only. */
  readonly early: boolean
}

export interface TestCase {
  readonly className: string
  readonly name: string
}

/** How a build ended: it failed, or it passed, perhaps after a test had to be repeated. */
export interface Ending {
  readonly failure: Failure | null
  /** A test that failed and then passed. */
  readonly flakyTest: TestCase | null
}

/**
 * How a build of `job` ends, given the trouble that its code is in. A broken branch fails every job
 * that looks at what is broken, in the same way each time; besides, the world fails some builds.
 */
export function endingOf(
  random: Random,
  project: Project,
  job: Job,
  commit: Commit,
  trouble: Trouble | null,
): Ending {
  const mishap = mishapOf(random, project, job, commit)
  if (mishap !== null) return { failure: mishap, flakyTest: null }
  if (trouble === null || !job.finds.includes(trouble.cause)) return passed
  const test = testCase(project, trouble.signature)
  const module = project.modules[Math.floor(trouble.signature * project.modules.length)]
  const failure: Failure = {
    cause: trouble.cause,
    module: module ?? commit.module,
    test,
    line: 12 + Math.floor(trouble.signature * 300),
    early: false,
  }
  if (trouble.kind === 'broken') return { failure, flakyTest: null }
  const luck = random()
  if (luck < 0.4) return { failure, flakyTest: null }
  return luck < 0.8 ? { failure: null, flakyTest: test } : passed
}

/** Whether people want to see it fixed in the code: the difference the server calls verification. */
export function isVerification({ cause }: Failure): boolean {
  return cause === 'test' || cause === 'compile' || cause === 'lint'
}

/** One of the project's tests; `signature` from 0 to 1 decides which. */
export function testCase(project: Project, signature: number): TestCase {
  const random = fractions(signature)
  const subject = pick(random, project.subjects)
  const kind = pick(random, ['Service', 'Repository', 'Mapper', 'Controller', ''])
  const name = pick(random, testNames)
  switch (project.language) {
    case 'typescript':
      return {
        className: `src/${subject}.test.tsx`,
        name: name.replace(/[A-Z]/g, ' $&').toLowerCase(),
      }
    case 'python':
      return {
        className: `tests/test_${subject.toLowerCase()}.py`,
        name: `test_${name.replace(/[A-Z]/g, '_$&').toLowerCase()}`,
      }
    case 'scala':
      return { className: `${packageOf(project)}.${subject}Spec`, name }
    case 'java':
    case 'kotlin':
      return { className: `${packageOf(project)}.${subject}${kind}Test`, name: `${name}()` }
  }
}

/** The package of the project's classes. */
export function packageOf(project: Project): string {
  return `com.acme.${project.name.replaceAll('-', '')}`
}

const passed: Ending = { failure: null, flakyTest: null }

const testNames = [
  'rejectsInvalidInput',
  'returnsEmptyResultForUnknownId',
  'retriesOnTimeout',
  'roundTripsThroughJson',
  'survivesRestart',
  'sortsByNewestFirst',
  'appliesLatestVersion',
  'ignoresDuplicates',
  'keepsOrderUnderConcurrency',
  'expiresAfterGracePeriod',
]

const mishaps: readonly { readonly cause: Cause; readonly weight: number }[] = [
  { cause: 'dependency', weight: 7 },
  { cause: 'configuration', weight: 3 },
]

/** What goes wrong without anybody's code being at fault, and what fails before any of it is read. */
function mishapOf(random: Random, project: Project, job: Job, commit: Commit): Failure | null {
  if (!chance(random, 0.012)) return null
  const { cause } = pickWeighted(random, mishaps)
  if (!job.finds.includes(cause)) return null
  return {
    cause,
    module: commit.module,
    test: testCase(project, random()),
    line: whole(random, 1, 60),
    early: project.tool === 'gradle' && cause === 'configuration' && chance(random, 0.6),
  }
}

/** The digits of one number, as if they were drawn one after the other. */
function fractions(signature: number): Random {
  let rest = signature
  return () => {
    rest = (rest * 97) % 1
    return rest
  }
}
