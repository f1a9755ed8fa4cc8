import { Button } from '@mantine/core'
import { type ReactElement, type SyntheticEvent, useRef, useState } from 'react'
import { packagePath } from '../../../protocol/package-address.ts'
import { usePublisher, usePublishView } from '../../data/publish-context.ts'
import { isPublishing, type PublishQuestion, type PublishView } from '../../data/publish-run.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import { withBuildIds } from './build-ids.ts'
import { BuildList } from './build-list.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { PackageFields } from './package-fields.tsx'
import css from './publish-page.module.css'
import { PublishResults } from './publish-results.tsx'
import { publishSentence } from './publish-sentence.ts'
import { QueryList } from './query-list.tsx'
import { type DraftMistakes, type DraftReading, readDraft } from './read-draft.ts'
import { refusedParts } from './refusal-text.ts'
import { RequestPreview } from './request-preview.tsx'
import { usePublishDraft } from './use-publish-draft.ts'
import { useRemembering } from './use-remembering.ts'

/** Signing what builds say of a package: choose builds, name the package, watch what is stored. */
export function PublishPage(): ReactElement {
  const { draft, timeZone, change, keep } = usePublishDraft()
  const publisher = usePublisher()
  const view = usePublishView(publisher)
  const [pasted, setPasted] = useState('')
  const [tried, setTried] = useState(false)
  const [asked, setAsked] = useState<PublishQuestion>()
  const form = useRef<HTMLFormElement>(null)
  const page = useRef<HTMLDivElement>(null)
  useRemembering(view)
  const whole = { ...draft, builds: withBuildIds(draft.builds, pasted) }
  const reading = readDraft(whole, timeZone)
  // An id that is still being written is no mistake yet.
  const written = pasted === '' ? reading : readDraft(draft, timeZone)
  const mistakes = {
    ...refusedNow(view, written),
    ...(tried && !written.ok ? written.mistakes : {}),
  }

  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    keep(whole)
    setPasted('')
    setTried(!reading.ok)
    if (reading.ok) {
      setAsked(reading.question)
      return
    }
    const [first] = Object.keys(reading.mistakes)
    const selector =
      first === 'queries' ? '[role="textbox"], ol textarea' : `[name="${String(first)}"]`
    form.current?.querySelector<HTMLElement>(selector)?.focus()
  }

  return (
    <div ref={page} className={css.page}>
      <Headline view={view} />
      {view.question !== undefined && (
        <PublishResults
          view={view}
          question={view.question}
          onCancel={publisher.cancel}
          onClear={publisher.clear}
        />
      )}
      <form
        ref={form}
        className={css.form}
        noValidate
        aria-label="What is published"
        onSubmit={submit}
      >
        <div className={css.columns}>
          <BuildList
            builds={draft.builds}
            pasted={pasted}
            mistake={mistakes.builds}
            onPasted={setPasted}
            onChange={(builds) => {
              keep({ ...draft, builds })
            }}
          />
          <QueryList
            queries={draft.queries}
            timeZone={timeZone}
            mistake={mistakes.queries}
            onChange={(queries) => {
              change({ ...draft, queries })
            }}
            onKeep={(queries) => {
              keep({ ...draft, queries })
            }}
          />
        </div>
        <div
          onBlur={() => {
            keep()
          }}
        >
          <PackageFields draft={draft} mistakes={mistakes} onChange={change} />
        </div>
        <RequestPreview reading={reading} />
        <Button type="submit" size="xs" className={css.submit} disabled={isPublishing(view.state)}>
          Publish…
        </Button>
      </form>
      {asked !== undefined && (
        <ConfirmDialog
          question={asked}
          onPublish={() => {
            publisher.publish(asked)
            page.current?.scrollIntoView({ block: 'start' })
          }}
          onClose={() => {
            setAsked(undefined)
          }}
        />
      )}
    </div>
  )
}

function Headline({ view }: { view: PublishView }): ReactElement {
  const sentence = publishSentence(view)
  return (
    <>
      <h1 className={css.sentence} data-tone={sentence?.tone}>
        {sentence !== undefined && <StatusShape tone={sentence.tone} />}
        <span>
          {sentence?.text ??
            'Which builds stand behind which package? Publishing signs what they say of it.'}
        </span>
      </h1>
      {/* What counts up is not read out; the end is. */}
      <span role="status">
        <Unseen>{isPublishing(view.state) ? 'Publishing' : (sentence?.text ?? '')}</Unseen>
      </span>
    </>
  )
}

/** What the service refused, for as long as what it refused stands there. */
function refusedNow({ state, question }: PublishView, reading: DraftReading): DraftMistakes {
  if (state.is !== 'refused' || question === undefined || !reading.ok) return {}
  const parts = refusedParts(state.problem)
  const now = reading.question
  const isSame = {
    builds: now.builds.join() === question.builds.join(),
    queries: now.queries.join('\n') === question.queries.join('\n'),
    reference: packagePath(now.address) === packagePath(question.address),
    sha256: now.sha256 === question.sha256,
    repositoryUrl: now.repositoryUrl === question.repositoryUrl,
  }
  return {
    ...(isSame.builds && parts.builds !== undefined ? { builds: parts.builds } : {}),
    ...(isSame.queries && parts.queries !== undefined ? { queries: parts.queries } : {}),
    ...(isSame.reference && parts.reference !== undefined ? { reference: parts.reference } : {}),
    ...(isSame.sha256 && parts.sha256 !== undefined ? { sha256: parts.sha256 } : {}),
    ...(isSame.repositoryUrl && parts.repositoryUrl !== undefined
      ? { repositoryUrl: parts.repositoryUrl }
      : {}),
  }
}
