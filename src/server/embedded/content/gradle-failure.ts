import type { BuildPlan } from './build-plan.ts'
import { type StackFrame, thrown, type ThrownException } from './exception-events.ts'
import { type Failure, packageOf } from './failure.ts'
import type { Random } from './seeded-random.ts'

/** What a failed Gradle build throws. */
export interface GradleFailure {
  /** What BuildFinished names. */
  readonly root: ThrownException
  /** What the failed test names, where a test failed. */
  readonly ofTest: ThrownException | null
}

/** The exceptions of a failed build; `taskPath` is the task that failed, if one did. */
export function gradleFailureOf(
  plan: BuildPlan,
  failure: Failure,
  taskPath: string | null,
  random: Random,
): GradleFailure {
  const ofTest =
    taskPath !== null && failure.cause === 'test' ? testFailure(plan, failure, random) : null
  const cause = causeOf(plan, failure, taskPath, random)
  const message = taskPath === null ? cause.message : `Execution failed for task '${taskPath}'.`
  const execution =
    taskPath === null
      ? cause
      : thrown(random, 'org.gradle.api.tasks.TaskExecutionException', message, {
          causes: [cause],
          metadata: { taskPath },
          frames: gradleFrames,
        })
  const script = failure.early ? 'settings.gradle.kts' : 'build.gradle.kts'
  const located = failure.cause === 'configuration'
  const root = thrown(random, 'org.gradle.internal.exceptions.LocationAwareException', message, {
    causes: [execution],
    metadata: {
      location: located ? `Script '${script}' line: ${failure.line}` : null,
      lineNumber: located ? failure.line : null,
      sourceDisplayName: located ? `script '${script}'` : null,
    },
    frames: gradleFrames,
  })
  return { root, ofTest }
}

function causeOf(
  plan: BuildPlan,
  failure: Failure,
  taskPath: string | null,
  random: Random,
): ThrownException {
  const { project } = plan
  const frames = gradleFrames
  switch (failure.cause) {
    case 'test':
      return thrown(
        random,
        'org.gradle.api.tasks.VerificationException',
        `There were failing tests. See the report at: file:///workspace/${project.name}/${failure.module}/build/reports/tests/test/index.html`,
        { frames },
      )
    case 'compile':
      return project.language === 'kotlin'
        ? thrown(
            random,
            'org.jetbrains.kotlin.gradle.tasks.CompilationErrorException',
            'Compilation error. See log for more details',
            { frames },
          )
        : thrown(
            random,
            'org.gradle.api.internal.tasks.compile.CompilationFailedException',
            `Compilation failed; see the compiler output below.\n${failure.module}/src/main/java/${project.subjects[0] ?? 'Main'}.java:${failure.line}: error: cannot find symbol`,
            { frames },
          )
    case 'lint':
      return thrown(
        random,
        'org.gradle.api.tasks.VerificationException',
        `${taskPath ?? 'Lint'} found ${1 + (failure.line % 9)} violations. See the report for details.`,
        { frames },
      )
    case 'dependency':
      return thrown(
        random,
        'org.gradle.api.internal.artifacts.ivyservice.TypedResolveException',
        `Could not resolve all files for configuration ':${failure.module}:compileClasspath'.`,
        {
          causes: [
            thrown(
              random,
              'org.gradle.internal.resource.transport.http.HttpRequestException',
              "Could not GET 'https://artifacts.acme.example/maven/com/acme/bom/maven-metadata.xml'. Received status code 503 from server: Service Unavailable",
              { frames },
            ),
          ],
          frames,
        },
      )
    case 'configuration':
      return thrown(
        random,
        'org.gradle.api.GradleScriptException',
        failure.early
          ? `A problem occurred evaluating settings '${project.name}'.`
          : `A problem occurred evaluating project ':${failure.module}'.`,
        { frames },
      )
  }
}

function testFailure(plan: BuildPlan, { test, line }: Failure, random: Random): ThrownException {
  const file = `${test.className.split('.').at(-1) ?? ''}.${plan.project.language === 'kotlin' ? 'kt' : 'java'}`
  return thrown(
    random,
    'org.opentest4j.AssertionFailedError',
    `expected: <${line}> but was: <${line + 1}>`,
    {
      frames: [
        ['org.junit.jupiter.api.AssertionUtils', 'fail', 'AssertionUtils.java', 38],
        [test.className, test.name.replace('()', ''), file, line],
        [`${packageOf(plan.project)}.testing.Fixtures`, 'run', 'Fixtures.java', 27],
        ['java.lang.reflect.Method', 'invoke', 'Method.java', 580],
      ],
    },
  )
}

const gradleFrames: readonly StackFrame[] = [
  [
    'org.gradle.api.internal.tasks.execution.ExecuteActionsTaskExecuter',
    'execute',
    'ExecuteActionsTaskExecuter.java',
    130,
  ],
  ['org.gradle.execution.plan.LocalTaskNodeExecutor', 'execute', 'LocalTaskNodeExecutor.java', 42],
  [
    'org.gradle.execution.plan.DefaultPlanExecutor$ExecutorWorker',
    'run',
    'DefaultPlanExecutor.java',
    380,
  ],
  ['java.lang.Thread', 'run', 'Thread.java', 1583],
]
