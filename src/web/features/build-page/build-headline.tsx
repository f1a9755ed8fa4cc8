import type { ReactElement } from 'react'
import { buildSentence } from '../../../facts/build-sentence.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { durationText } from '../../ui/format.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import type { BuildAddress } from './build-address.ts'
import css from './build-headline.module.css'
import { CompareForm } from './compare-form.tsx'
import type { ChangeAddress } from './use-build-address.ts'
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
