/** What can be wrong with a change, or with the world around it. */
export type Cause = 'compile' | 'lint' | 'test' | 'dependency' | 'configuration'

/** Why a build is run. */
export type Occasion = 'change' | 'nightly' | 'release' | 'local'

/** One kind of build of a project. */
export interface Job {
  readonly name: string
  readonly occasion: Occasion
  /** Tasks, goals, targets, or the words of a command; `{module}` stands for the changed module, `{lint}` for Gradle's linter. */
  readonly requested: readonly string[]
  /** Bazel's command, which stands beside the targets. */
  readonly command?: string
  /** Which faults of a change it finds; it passes in spite of the others. */
  readonly finds: readonly Cause[]
  /** How long it takes, as a multiple of the project's base duration. */
  readonly effort: number
  /** How often it is run, compared to other jobs of the occasion. */
  readonly weight: number
}

const everything: readonly Cause[] = ['compile', 'lint', 'test', 'dependency', 'configuration']
const compiling: readonly Cause[] = ['compile', 'dependency', 'configuration']
const testing: readonly Cause[] = ['compile', 'test', 'dependency', 'configuration']
const linting: readonly Cause[] = ['lint', 'configuration']

function job(
  occasion: Occasion,
  name: string,
  requested: readonly string[],
  finds: readonly Cause[],
  effort: number,
  weight: number,
): Job {
  return { name, occasion, requested, finds, effort, weight }
}

/** Services built with Gradle. */
export const gradleJobs: readonly Job[] = [
  job('change', 'build', ['build'], everything, 1, 4),
  job('change', 'check', ['check'], everything, 0.9, 3),
  job('change', 'unit-tests', ['test'], testing, 0.7, 4),
  job('change', 'static-analysis', ['spotlessCheck', '{lint}'], linting, 0.3, 2),
  job('change', 'integration-tests', ['integrationTest'], testing, 1.8, 2),
  job('nightly', 'nightly', ['clean', 'build', 'integrationTest'], everything, 2.6, 1),
  job('release', 'release', ['build', 'publish'], everything, 1.4, 2),
  job('release', 'publish', ['publish'], compiling, 0.8, 1),
  job('local', 'local', [':{module}:test'], testing, 0.35, 6),
  job('local', 'local', ['assemble'], compiling, 0.3, 3),
  job('local', 'local', ['check'], everything, 0.8, 2),
  job('local', 'local', ['spotlessApply'], ['configuration'], 0.1, 1),
]

/** A large repository where most builds touch one module, and only some build everything. */
export const monorepoJobs: readonly Job[] = [
  job('change', 'affected', [':{module}:check'], everything, 0.35, 30),
  job('change', 'affected', [':{module}:build'], everything, 0.4, 20),
  job('change', 'build-all', ['build'], everything, 2.4, 0.5),
  job('nightly', 'nightly', ['clean', 'build'], everything, 4, 1),
  job('release', 'publish', [':{module}:publish'], compiling, 0.4, 1),
  job('local', 'local', [':{module}:test'], testing, 0.2, 5),
  job('local', 'local', [':{module}:assemble'], compiling, 0.15, 2),
]

/** Services built with Maven. */
export const mavenJobs: readonly Job[] = [
  job('change', 'verify', ['clean', 'verify'], everything, 1, 5),
  job('change', 'test', ['test'], testing, 0.6, 3),
  job('change', 'compile', ['clean', 'compile'], compiling, 0.3, 1),
  job('nightly', 'nightly', ['clean', 'install'], everything, 1.8, 1),
  job('release', 'deploy', ['clean', 'deploy'], everything, 1.3, 1),
  job('local', 'local', ['test'], testing, 0.5, 4),
  job('local', 'local', ['clean', 'install'], everything, 0.9, 3),
  job('local', 'local', ['compile'], compiling, 0.2, 2),
]

export const bazelJobs: readonly Job[] = [
  { ...job('change', 'test', ['//...'], testing, 1, 5), command: 'test' },
  { ...job('change', 'build', ['//...'], compiling, 0.6, 2), command: 'build' },
  { ...job('change', 'test', ['//{module}/...'], testing, 0.4, 4), command: 'test' },
  { ...job('nightly', 'nightly', ['//...', '-//tools/...'], testing, 2.2, 1), command: 'test' },
  { ...job('release', 'images', ['//deploy:images'], compiling, 0.9, 1), command: 'run' },
  { ...job('local', 'local', ['//{module}:all'], testing, 0.3, 4), command: 'test' },
  { ...job('local', 'local', ['//{module}/...'], compiling, 0.2, 2), command: 'build' },
]

export const sbtJobs: readonly Job[] = [
  job('change', 'test', ['clean', 'test'], testing, 1, 4),
  job('change', 'check', ['scalafmtCheckAll', 'compile', 'test'], everything, 1.1, 3),
  job('change', 'integration', ['{module}/IntegrationTest/test'], testing, 1.5, 2),
  job('nightly', 'nightly', ['+clean', '+test'], testing, 2.4, 1),
  job('release', 'publish', ['publish'], compiling, 0.8, 1),
  job('local', 'local', ['{module}/test'], testing, 0.4, 4),
  job('local', 'local', ['compile'], compiling, 0.2, 2),
]

export const npmJobs: readonly Job[] = [
  job('change', 'test', ['run', 'test'], testing, 1, 5),
  job('change', 'lint', ['run', 'lint'], linting, 0.4, 3),
  job('change', 'build', ['run', 'build'], compiling, 0.9, 4),
  job('change', 'install', ['ci'], ['dependency'], 0.5, 3),
  job('nightly', 'nightly', ['run', 'e2e'], testing, 3, 1),
  job('release', 'publish', ['publish', '--access', 'restricted'], compiling, 0.3, 1),
  job('local', 'local', ['test'], testing, 0.6, 3),
  job('local', 'local', ['install'], ['dependency'], 0.4, 1),
]

export const pythonJobs: readonly Job[] = [
  job('change', 'test', ['pytest -q'], testing, 1, 5),
  job('change', 'lint', ['ruff check .'], linting, 0.1, 2),
  job('change', 'types', ['mypy src'], ['compile', 'configuration'], 0.4, 2),
  job('nightly', 'nightly', ['pytest tests/integration'], testing, 3, 1),
  job('release', 'wheel', ['python -m build'], compiling, 0.4, 1),
  job('local', 'local', ['pytest tests/{module}'], testing, 0.4, 4),
]
