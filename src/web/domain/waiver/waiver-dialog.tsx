import { Button } from '@mantine/core'
import {
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { Waiver } from '../../../protocol/waiver.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { viewerZone } from '../../ui/format.ts'
import {
  expiryAfter,
  type GivenWaiver,
  presetDays,
  readWaiverDraft,
  type WaiverDraft,
  type WaiverMistakes,
} from './waiver-draft.ts'
import { WaiverMark } from './waiver-mark.tsx'
import css from './waiver.module.css'
import dialogCss from '../../ui/dialog.module.css'

/**
 * Asks why a policy is waived, who answers for it, and until when. What was typed stays until the
 * dialog is closed, also when it is refused. `now` reads the clock by which waivers expire.
 */
export function WaiverDialog({
  policy,
  of,
  initial,
  longestMs,
  now,
  refusal,
  isSending,
  onGive,
  onClose,
}: {
  /** What the policy is called. */
  policy: string
  /** The package and the scan, in words. */
  of: string
  initial: Pick<WaiverDraft, 'reason' | 'person'>
  /** The longest that a waiver may last, ms. */
  longestMs: number
  now: () => number
  refusal: string | undefined
  isSending: boolean
  onGive: (waiver: GivenWaiver) => void
  onClose: () => void
}): ReactElement {
  const { zone } = usePreferences()
  const [draft, setDraft] = useState<WaiverDraft>(() => ({
    ...initial,
    expires: expiryAfter(14, { now: now(), longestMs, zone }),
  }))
  const [mistakes, setMistakes] = useState<WaiverMistakes>({})
  const reason = useRef<HTMLTextAreaElement>(null)
  const person = useRef<HTMLInputElement>(null)
  const expires = useRef<HTMLInputElement>(null)
  const id = useId()

  function give(): void {
    const read = readWaiverDraft(draft, { now: now(), longestMs, zone })
    setMistakes(read.ok ? {} : read.mistakes)
    if (read.ok) onGive(read.waiver)
    else if (read.mistakes.reason !== undefined) reason.current?.focus()
    else if (read.mistakes.person !== undefined) person.current?.focus()
    else expires.current?.focus()
  }
  function put(part: Partial<WaiverDraft>): void {
    setDraft({ ...draft, ...part })
  }
  return (
    <WaiverFrame
      title={`Waive ${policy}?`}
      refusal={refusal}
      isSending={isSending}
      confirm={`Waive ${policy}`}
      onConfirm={give}
      onClose={onClose}
    >
      <p className={css.text}>
        For {of}. It changes nothing at the service, which goes on to say that the policy is
        unsatisfied: Sightline says beside it that it is waived, until when and by whom, and keeps a
        record.
      </p>
      <div className={css.field}>
        <label htmlFor={`${id}-reason`}>Reason</label>
        <textarea
          ref={reason}
          id={`${id}-reason`}
          className={css.input}
          rows={3}
          maxLength={2000}
          value={draft.reason}
          {...toldBy(mistakes.reason, `${id}-reason-told`)}
          onChange={(event) => {
            put({ reason: event.currentTarget.value })
          }}
        />
        <Told id={`${id}-reason-told`} mistake={mistakes.reason} />
      </div>
      <div className={css.field}>
        <label htmlFor={`${id}-person`}>Who answers for it</label>
        <input
          ref={person}
          id={`${id}-person`}
          className={css.input}
          maxLength={200}
          autoComplete="off"
          value={draft.person}
          {...toldBy(mistakes.person, `${id}-person-told`)}
          onChange={(event) => {
            put({ person: event.currentTarget.value })
          }}
        />
        <Told id={`${id}-person-told`} mistake={mistakes.person} />
      </div>
      <div className={css.field}>
        <label htmlFor={`${id}-expires`}>Ends by itself ({viewerZone(zone)})</label>
        <div className={css.when}>
          {presetDays(longestMs).map((days) => (
            <Button
              key={days}
              variant="default"
              className={dialogCss.button}
              onClick={() => {
                put({ expires: expiryAfter(days, { now: now(), longestMs, zone }) })
              }}
            >
              In {days} days
            </Button>
          ))}
          <input
            ref={expires}
            id={`${id}-expires`}
            type="datetime-local"
            className={css.input}
            value={draft.expires}
            {...toldBy(mistakes.expires, `${id}-expires-told`)}
            onChange={(event) => {
              put({ expires: event.currentTarget.value })
            }}
          />
        </div>
        <Told id={`${id}-expires-told`} mistake={mistakes.expires} />
      </div>
    </WaiverFrame>
  )
}

function Told({ id, mistake }: { id: string; mistake: string | undefined }): ReactElement | null {
  return mistake === undefined ? null : (
    <p id={id} className={css.mistake}>
      {mistake}
    </p>
  )
}

function toldBy(
  mistake: string | undefined,
  id: string,
): { 'aria-invalid': boolean; 'aria-describedby': string | undefined } {
  return {
    'aria-invalid': mistake !== undefined,
    'aria-describedby': mistake === undefined ? undefined : id,
  }
}

/** Asks once more before a waiver is ended early: the policy counts as failing again from then on. */
export function WaiverEndDialog({
  policy,
  waiver,
  refusal,
  isSending,
  onEnd,
  onClose,
}: {
  policy: string
  waiver: Waiver
  refusal: string | undefined
  isSending: boolean
  onEnd: () => void
  onClose: () => void
}): ReactElement {
  return (
    <WaiverFrame
      title={`End the waiver of ${policy} now?`}
      refusal={refusal}
      isSending={isSending}
      confirm="End this waiver"
      onConfirm={onEnd}
      onClose={onClose}
    >
      <p className={css.text}>
        <WaiverMark waiver={waiver} />
      </p>
      <p className={css.text}>
        The policy counts as failing again at once, for everybody. The waiver stays in the history.
      </p>
    </WaiverFrame>
  )
}

/** The dialog around what is asked about a waiver: a title, a form, why it was refused, and buttons. */
function WaiverFrame({
  title,
  refusal,
  isSending,
  confirm,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  refusal: string | undefined
  isSending: boolean
  /** The words of the button that does it. */
  confirm: string
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    if (!isSending) onConfirm()
  }
  return (
    <dialog ref={dialog} className={css.dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id} className={dialogCss.title}>
        {title}
      </h2>
      <form className={css.form} noValidate onSubmit={submit}>
        {children}
        <div role="alert">
          {refusal !== undefined && (
            <p className={css.refusal}>
              <StatusShape tone="bad" />
              <span>{refusal}</span>
            </p>
          )}
        </div>
        <div className={dialogCss.buttons}>
          <Button
            variant="default"
            className={dialogCss.button}
            onClick={() => dialog.current?.close()}
          >
            Cancel
          </Button>
          <Button type="submit" className={dialogCss.button} aria-disabled={isSending}>
            {isSending ? 'Sending…' : confirm}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
