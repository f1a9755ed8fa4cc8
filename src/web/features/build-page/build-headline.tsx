import { Button, Group, TextInput } from '@mantine/core'
import { type ReactElement, type ReactNode, useState } from 'react'
import { buildSentence } from '../../../facts/build-sentence.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { durationText } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page.tsx'
import type { StatusTone } from '../../ui/status-mark.tsx'
import type { BuildAddress, ChangeAddress } from './build-address.ts'
import type { Knowledge } from './use-knowledge.ts'

/** What happened, in one sentence; whose build it was is below it. */
export function BuildHeadline({
  buildId,
  knowledge,
  isLoading,
  address,
  onChange,
  children,
}: {
  buildId: string
  knowledge: Knowledge
  isLoading: boolean
  address: BuildAddress
  onChange: ChangeAddress
  children: ReactNode
}): ReactElement {
  const { facts, header, failedTests, neighbours } = knowledge
  const story = {
    facts,
    failedIn: (header?.failures ?? []).flatMap(({ path }) => path ?? []),
    failedTests: failedTests?.total,
    streak: neighbours?.streak,
  }
  const what = [facts?.project, facts?.requested?.join(' ')].filter(Boolean)
  return (
    <PageHeader
      title={
        <>
          {what.length > 0 && <span>{what.join(' · ')}</span>}
          <Group component="span" display="inline-flex" gap={0} wrap="nowrap" ff="monospace">
            <code>{buildId}</code>
            <CopyButton text={buildId} what={`build id ${buildId}`} />
          </Group>
        </>
      }
      tone={toneOf(facts?.outcome)}
      sentence={
        facts === undefined && !isLoading
          ? 'No details of this build yet.'
          : buildSentence(story, durationText)
      }
      actions={
        <CompareForm
          buildId={buildId}
          compare={address.compare}
          previous={neighbours?.streak?.previous}
          onCompare={(compare) => {
            onChange({ compare, search: '', changes: [] })
          }}
        />
      }
    >
      {children}
    </PageHeader>
  )
}

function toneOf(outcome: 'succeeded' | 'failed' | null | undefined): StatusTone {
  if (outcome === 'succeeded') return 'good'
  return outcome === 'failed' ? 'bad' : 'waiting'
}

/** Chooses what to compare with: the previous build where it is known, or any by its id. */
function CompareForm({
  buildId,
  compare,
  previous,
  onCompare,
}: {
  buildId: string
  compare: string | undefined
  previous: string | undefined
  onCompare: (other: string | undefined) => void
}): ReactElement {
  const [typed, setTyped] = useState('')
  const [mistake, setMistake] = useState<string>()

  if (compare !== undefined) {
    return (
      <Button
        variant="default"
        onClick={() => {
          onCompare(undefined)
        }}
      >
        End comparison
      </Button>
    )
  }

  function submit(): void {
    const other = typed.trim()
    if (!isBuildId(other)) setMistake('A build id has 13 characters, such as k3j7x2m4q7a4c.')
    else if (other === buildId) setMistake('Enter the id of another build.')
    else onCompare(other)
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Group gap="xs" align="flex-start">
        <TextInput
          value={typed}
          error={mistake}
          placeholder="Build id"
          aria-label="Compare with build id"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setMistake(undefined)
          }}
        />
        <Button variant="default" type="submit">
          Compare
        </Button>
        <Button
          variant="default"
          disabled={previous === undefined}
          onClick={() => {
            onCompare(previous)
          }}
        >
          Compare with previous build
        </Button>
      </Group>
    </form>
  )
}
