import type { Field, FieldType } from './field.ts'

/** The fields that builds of every tool have (docs/services.md#generic-fields). */
export const genericFields: readonly Field[] = [
  generic('user', 'text', 'User account that ran the build'),
  generic('hostname', 'text', 'Public hostname of the build machine'),
  generic('project', 'text', 'Name of the root project, top-level module or workspace', {
    since: '2023.3',
  }),
  generic('rootProjectName', 'text', 'Name of the root project; now called project', {
    since: '2022.4',
    until: '2023.2.3',
    replacedBy: 'project',
  }),
  generic('requested', 'text', 'Requested tasks, goals or targets'),
  generic('buildTool', 'text', 'Tool that ran the build', {
    values: ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'],
  }),
  generic('buildToolVersion', 'text', 'Version of the build tool'),
  generic('value', 'pair', 'Custom values, written name=value'),
  generic('tag', 'text', 'Build tags'),
  generic('buildOutcome', 'text', 'Outcome of the build', { values: ['succeeded', 'failed'] }),
  generic('buildDuration', 'duration', 'How long the build took'),
  generic('buildStartTime', 'instant', 'When the build started'),
  generic(
    'hasVerificationFailure',
    'boolean',
    'Failed with a verification failure, such as a failed test',
    { since: '2024.1' },
  ),
  generic('hasNonVerificationFailure', 'boolean', 'Failed with a non-verification failure', {
    since: '2024.1',
  }),
]

function generic(
  name: string,
  type: FieldType,
  meaning: string,
  more: Pick<Field, 'values' | 'since' | 'until' | 'replacedBy'> = {},
): Field {
  return { name, type, tool: undefined, meaning, ...more }
}
