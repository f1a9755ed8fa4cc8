import { Stack } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Failure } from '../../../facts/failures.ts'
import { toolName } from '../../../facts/build-sentence.ts'
import { countOf } from '../../../protocol/count.ts'
import { Section } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './build-page.module.css'
import { FailureCard } from './failure-list.tsx'
import type { Knowledge } from './use-knowledge.ts'

/** More of them are to be found on the pages of the builds. */
const mostShown = 5

/** What fails now, with its message, and what failed before and no longer does. */
export function ComparedFailures({
  before,
  after,
}: {
  before: Knowledge
  after: Knowledge
}): ReactElement {
  const earlier = failuresOf(before)
  const now = failuresOf(after)
  const fixed = earlier.filter(({ name }) => !now.some((one) => one.name === name))
  return (
    <Section title="Failures">
      <Stack gap={8}>
        {now.slice(0, mostShown).map(({ name, failure }) => {
          const isOld = earlier.some((one) => one.name === name)
          return (
            <FailureCard
              key={name}
              failure={failure}
              name={name}
              note={isOld ? 'failed before, too' : 'new'}
            />
          )
        })}
        {now.length > mostShown && (
          <p>{`And ${countOf(now.length - mostShown, 'more failure')}.`}</p>
        )}
        {fixed.slice(0, mostShown).map(({ name }) => (
          <p key={name} className={css.compared}>
            <StatusMark tone="good" word="fixed" /> <code>{name}</code>
          </p>
        ))}
        {now.length + fixed.length === 0 && (
          <p className={css.compared}>{nothingText(before, after)}</p>
        )}
      </Stack>
    </Section>
  )
}

function nothingText({ facts: before }: Knowledge, { facts: after }: Knowledge): string {
  if (after?.outcome === 'failed') {
    return `This build failed, but ${toolName(after.buildTool)} builds like it don't say why.`
  }
  return before?.outcome === 'failed'
    ? 'Only the other build failed; it doesn’t say why.'
    : 'Neither build failed.'
}

/** Failed tests and the failures of the build, each by its name. */
function failuresOf({
  failedTests,
  header,
}: Knowledge): readonly { readonly name: string; readonly failure: Failure }[] {
  const ofTests = (failedTests?.rows ?? []).flatMap(({ test: { className, name }, failure }) =>
    failure === null
      ? []
      : [{ name: [className, name].filter((part) => part !== null).join(' '), failure }],
  )
  const ofBuild = (header?.failures ?? []).map((failure) => ({
    name: failure.path ?? failure.exceptions.at(-1)?.className ?? 'Failure',
    failure,
  }))
  return [...ofTests, ...ofBuild].filter(
    ({ name }, index, all) => all.findIndex((one) => one.name === name) === index,
  )
}
