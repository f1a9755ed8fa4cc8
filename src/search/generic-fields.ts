import type { Field, FieldType } from './field.ts'

/** The fields that builds of every tool have (docs/services.md#generic-fields). */
export const genericFields: readonly Field[] = [
  generic('user', 'text', 'Name of the account that ran the build'),
  generic('hostname', 'text', 'Public name of the machine that ran the build'),
  generic('project', 'text', 'Name of the root project, top-level module or workspace', {
    since: '2023.3',
  }),
  generic('rootProjectName', 'text', 'Name of the root project; now called project', {
    since: '2022.4',
    until: '2023.2.3',
    replacedBy: 'project',
  }),
  generic('requested', 'text', 'Tasks, goals or targets that were asked for'),
  generic('buildTool', 'text', 'Tool that ran the build', {
    values: ['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'],
  }),
  generic('buildToolVersion', 'text', 'Version of the build tool'),
  generic('value', 'pair', 'Custom values of the build, written name=value'),
  generic('tag', 'text', 'Tags of the build'),
  generic('buildOutcome', 'text', 'How the build ended', { values: ['succeeded', 'failed'] }),
  generic('buildDuration', 'duration', 'How long the build took'),
  generic('buildStartTime', 'instant', 'When the build started'),
  generic(
    'hasVerificationFailure',
    'boolean',
    'The build failed, and at least one failure is one of verification, such as a failed test',
    { since: '2024.1' },
  ),
  generic(
    'hasNonVerificationFailure',
    'boolean',
    'The build failed, and at least one failure is not one of verification',
    { since: '2024.1' },
  ),
]

function generic(
  name: string,
  type: FieldType,
  meaning: string,
  more: Pick<Field, 'values' | 'since' | 'until' | 'replacedBy'> = {},
): Field {
  return { name, type, tool: undefined, meaning, ...more }
}
