import { type ReactElement, useRef, useState } from 'react'
import { usePublisher } from '../../data/publish/publish-context.ts'
import type { PublishQuestion } from '../../data/publish/publish-run.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { PublishForm } from './publish-form.tsx'
import css from './publish-page.module.css'
import { PublishProgress } from './publish-progress.tsx'
import { storedBefore } from './stored-before.ts'

/**
 * Signing what builds say of a package: choose builds, name the package, watch what is stored. The
 * parts stand on their own, as results come ten times a second and a phone draws the form for long.
 */
export function PublishPage(): ReactElement {
  const publisher = usePublisher()
  const [asked, setAsked] = useState<PublishQuestion>()
  const page = useRef<HTMLDivElement>(null)
  const headline = useRef<HTMLHeadingElement>(null)
  return (
    <div ref={page} className={css.page}>
      <PublishProgress publisher={publisher} headline={headline} />
      <PublishForm publisher={publisher} onAsk={setAsked} />
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
