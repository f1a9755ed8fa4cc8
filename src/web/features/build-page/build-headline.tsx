import { Button } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { buildSentence } from '../../../facts/build-sentence.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { durationText } from '../../ui/format.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import type { BuildAddress, ChangeAddress } from './build-address.ts'
import css from './build-page.module.css'
import type { Knowledge } from './use-knowledge.ts'

/** What happened, in one sentence; whose build it was is below it. */
export function BuildHeadline({
  buildId,
  knowledge,
  isLoading,
  address,
  onChange,
}: {
  buildId: string
  knowledge: Knowledge
  isLoading: boolean
  address: BuildAddress
  onChange: ChangeAddress
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
    <header className={css.headline}>
      <h1 className={css.sentence}>
        <StatusShape tone={toneOf(facts?.outcome)} />
        {facts === undefined && !isLoading
          ? 'Nothing is known of this build yet.'
          : buildSentence(story, durationText)}
      </h1>
      <div className={css.line}>
        {what.length > 0 && <span className={css.what}>{what.join(' · ')}</span>}
        <span className={css.id}>
          <code>{buildId}</code>
          <CopyButton text={buildId} what={`build id ${buildId}`} />
        </span>
        <CompareForm
          buildId={buildId}
          compare={address.compare}
          previous={neighbours?.streak?.previous}
          onCompare={(compare) => {
            onChange({ compare, search: '', changes: [] })
          }}
        />
      </div>
    </header>
  )
}

function toneOf(outcome: 'succeeded' | 'failed' | null | undefined): StatusTone {
  if (outcome === 'succeeded') return 'good'
  return outcome === 'failed' ? 'bad' : 'waiting'
}

/** Asks which build to compare with: the one before it where that is known, or any by its id. */
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
        className={css.compare}
        size="xs"
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
    const other = typed.trim().toLowerCase()
    if (!isBuildId(other)) setMistake('A build id has 13 letters and digits.')
    else if (other === buildId) setMistake('This is the build that you look at.')
    else onCompare(other)
  }

  return (
    <form
      className={css.compare}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {previous !== undefined && (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onCompare(previous)
          }}
        >
          Compare with the build before
        </Button>
      )}
      <input
        className={css.input}
        value={typed}
        placeholder="Compare with build id"
        aria-label="Compare with build id"
        aria-invalid={mistake !== undefined}
        aria-describedby="compare-mistake"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setMistake(undefined)
        }}
      />
      <Button size="xs" variant="default" type="submit">
        Compare
      </Button>
      <span id="compare-mistake" role="status" className={css.mistake}>
        {mistake}
      </span>
    </form>
  )
}
