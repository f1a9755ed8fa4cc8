import type { ReactElement, RefObject } from 'react'
import { usePublishView } from '../../data/publish/publish-context.ts'
import { isPublishing, type Publisher, type PublishView } from '../../data/publish/publish-run.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import css from './publish-page.module.css'
import { PublishResults } from './publish-results.tsx'
import { publishSentence } from './publish-sentence.ts'
import { useRemembering } from './use-remembering.ts'

/**
 * How the last publication stands: the sentence on top of the page, and what came of it. The sentence
 * takes the focus when the button that had it goes.
 */
export function PublishProgress({
  publisher,
  headline,
}: {
  publisher: Publisher
  headline: RefObject<HTMLHeadingElement | null>
}): ReactElement {
  const view = usePublishView(publisher)
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
      <h1 ref={sentenceRef} tabIndex={-1} className={css.sentence} data-tone={sentence?.tone}>
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
