import { type ReactElement, type RefObject, useEffect, useRef, useState } from 'react'
import {
  isPublishing,
  type Publisher,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import { withPackage } from '../../domain/package/remembered-packages.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { VisuallyHidden } from '../../ui/text.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { PublishForm } from './publish-form.tsx'
import { PublishResults } from './publish-results.tsx'
import { publishSentence, storedBefore } from './publish-text.ts'
import { FormPage, PageHeader } from '../../ui/page.tsx'
import { usePageServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

/**
 * Publishing attestations of a package: choose builds, name the package, watch what is stored. The
 * parts stand on their own, as results come ten times a second and a phone draws the form for long.
 */
export function PublishPage(): ReactElement {
  const { publisher } = usePageServices()
  const [asked, setAsked] = useState<PublishQuestion>()
  const page = useRef<HTMLDivElement>(null)
  const headline = useRef<HTMLHeadingElement>(null)
  return (
    <div ref={page}>
      <FormPage header={<PublishProgress publisher={publisher} headline={headline} />}>
        <PublishForm publisher={publisher} onAsk={setAsked} />
      </FormPage>
      {asked !== undefined && (
        <ConfirmDialog
          question={asked}
          storedBefore={storedBefore(publisher.getSnapshot(), asked)}
          onPublish={() => {
            publisher.publish(asked)
            page.current?.scrollIntoView({ block: 'start' })
            headline.current?.focus({ preventScroll: true })
          }}
          onClose={() => {
            setAsked(undefined)
          }}
        />
      )}
    </div>
  )
}

/**
 * How the last publication stands: the sentence on top of the page, and what came of it. The sentence
 * takes the focus when the button that had it goes.
 */
function PublishProgress({
  publisher,
  headline,
}: {
  publisher: Publisher
  headline: RefObject<HTMLHeadingElement | null>
}): ReactElement {
  const view = useStore(publisher)
  useRemembering(view)
  return (
    <>
      <Headline view={view} sentenceRef={headline} />
      {view.question !== undefined && (
        <PublishResults
          view={view}
          question={view.question}
          onCancel={() => {
            publisher.cancel()
            headline.current?.focus()
          }}
          onClear={() => {
            publisher.clear()
            headline.current?.focus()
          }}
        />
      )}
    </>
  )
}

function Headline({
  view,
  sentenceRef,
}: {
  view: PublishView
  sentenceRef: RefObject<HTMLHeadingElement | null>
}): ReactElement {
  const sentence = publishSentence(view)
  return (
    <>
      <PageHeader
        sentence={
          sentence?.text ?? 'Publish attestations: choose builds, then the package they produced.'
        }
        tone={sentence?.tone}
        sentenceRef={sentenceRef}
      />
      {/* What counts up is not read out; the end is. */}
      <span role="status">
        <VisuallyHidden>
          {isPublishing(view.state) ? 'Publishing' : (sentence?.text ?? '')}
        </VisuallyHidden>
      </span>
    </>
  )
}

/** Keeps on this device which package was published for, and of which builds, if any was stored. */
function useRemembering({ question, stored, endedAt }: PublishView): void {
  const store = usePreferenceStore()
  useEffect(() => {
    if (question === undefined || endedAt === undefined || stored === 0) return
    const { address, sha256, repositoryUrl, builds } = question
    const { packages = [] } = store.get()
    const used = withPackage(packages, { address, sha256, repositoryUrl, builds })
    if (used !== packages) store.change({ packages: used })
  }, [store, question, stored, endedAt])
}
