import { Button, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { explain } from '../../../search/explain.ts'
import { parse } from '../../../search/parse.ts'
import { quoteValue } from '../../../search/values/text.ts'
import type { QueryAssistance } from './query-assistance.ts'
import css from './query-editor.module.css'

/** Queries to begin with, in place of the parts of one that is not there yet; one press runs one. */
export function QueryExamples({
  assistance,
  onRun,
}: {
  assistance: QueryAssistance
  onRun: (query: string) => void
}): ReactElement {
  const examples = useMemo(() => examplesOf(assistance), [assistance])
  return (
    <div className={css.bar} role="group" aria-label="Examples">
      <Text span inherit c="dimmed">
        Try
      </Text>
      {examples.map((example) => (
        <Button
          key={example}
          variant="default"
          radius="xl"
          fw={400}
          maw="100%"
          ff="monospace"
          fz="xs"
          title={explain(parse(example), { timeZone: assistance.timeZone })}
          onClick={() => {
            onRun(example)
          }}
        >
          {example}
        </Button>
      ))}
    </div>
  )
}

/**
 * Questions that come first, about what there is: the project and the branch with most builds. Until
 * these are known others of about that length stand there, so that nothing below is moved.
 */
function examplesOf({ values }: Pick<QueryAssistance, 'values'>): readonly string[] {
  const [project] = values('project')
  const branchName = values('value').find(({ value }) => value.toLowerCase() === 'git branch')
  const [branch] = branchName === undefined ? [] : values('value', branchName.value)
  const pair = branch && branchName && quoteValue(`${branchName.value}=${branch.value}`)
  return [
    'buildOutcome:failed buildStartTime>-1d',
    project === undefined ? 'buildTool:gradle' : `project:${quoteValue(project.value)}`,
    `value:${pair ?? '"Git branch=main"'}`,
    'buildDuration>10m',
    'hasVerificationFailure',
  ]
}
