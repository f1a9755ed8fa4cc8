import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import * as z from 'zod/mini'
import { Waiver, WaiverScope } from '../../../protocol/waiver.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { useEndWaiver, useGiveWaiver, waiverRefusal } from '../../data/scans/waivers.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraft } from '../../ui/drafts.ts'
import { instantText, viewerZone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import {
  expiryAfter,
  expiryText,
  presetDays,
  readWaiverDraft,
  WaiverDraft,
} from './waiver-draft.ts'
import css from './waiver.module.css'

/** What somebody wants to do about the waiver of a policy, which has a name (`policy`). */
export const WaiverWish = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('give'),
    policy: z.string(),
    /** The policy and the scan that the waiver is for. */
    of: WaiverScope,
    /** The package and the scan, as text. */
    ofText: z.string(),
    /** The longest that a waiver may last, ms. */
    longestMs: z.number(),
    /** The waiver of another version that it continues. */
    carriedFrom: z.optional(Waiver),
  }),
  z.object({ is: z.literal('end'), policy: z.string(), waiver: Waiver }),
])
export type WaiverWish = z.infer<typeof WaiverWish>

/** Gives a waiver or ends one; it closes when the server has recorded it. */
export function WaiverDialog({
  wish,
  onClose,
}: {
  wish: WaiverWish
  onClose: () => void
}): ReactElement {
  // A dialog that is unmounted, as after it was sent, gives the focus to nobody.
  const [from] = useState(() => document.activeElement)
  const user = useSessionUser()
  const typed = useRef<WaiverDraft>(undefined)
  const kept = useDraft('waiver', WaiverDraft, () => typed.current)
  useEffect(
    () => () => {
      if (from instanceof HTMLElement) from.focus()
    },
    [from],
  )
  return wish.is === 'give' ? (
    // Anew when the user is known, a moment after it was opened: who opens it is filled in.
    <Giving
      key={user?.name}
      wish={wish}
      user={user}
      kept={kept}
      onChange={(draft) => {
        typed.current = draft
      }}
      onClose={onClose}
    />
  ) : (
    <Ending wish={wish} onClose={onClose} />
  )
}

function Giving({
  wish: { policy, of, ofText, longestMs, carriedFrom },
  user,
  kept,
  onChange,
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'give' }>
  user: ReturnType<typeof useSessionUser>
  /** What was typed before somebody had to sign in elsewhere. */
  kept: WaiverDraft | undefined
  onChange: (draft: WaiverDraft) => void
  onClose: () => void
}): ReactElement {
  const give = useGiveWaiver()
  const { proxyNow } = useServices().session
  const { zone } = usePreferences()
  const clock = () => ({ now: proxyNow(), longestMs, zone })
  const form = useForm<WaiverDraft>({
    onValuesChange: onChange,
    initialValues: kept ?? {
      reason: carriedFrom?.reason ?? '',
      person: carriedFrom?.person ?? user?.name ?? '',
      expires: expiryAfter(14, clock()),
    },
    validate: (draft) => {
      const read = readWaiverDraft(draft, clock())
      return read.ok ? {} : read.mistakes
    },
  })

  function send(draft: WaiverDraft): void {
    const read = readWaiverDraft(draft, clock())
    if (!read.ok) return
    give.mutate(
      { ...of, ...read.waiver, carriedFrom: carriedFrom?.id ?? null },
      { onSuccess: onClose },
    )
  }

  return (
    <WaiverModal
      title={`Waive ${policy}?`}
      refusal={give.error}
      isSending={give.isPending}
      confirm={`Waive ${policy}`}
      onConfirm={form.onSubmit(send, (errors) => {
        const [first = 'reason'] = Object.keys(errors)
        form.getInputNode(first)?.focus()
      })}
      onClose={onClose}
    >
      <Text>
        For {ofText}. The policy service still reports it as unsatisfied. Sightline shows and
        records that it is waived, until when and by whom.
      </Text>
      <Textarea
        label="Reason"
        rows={3}
        maxLength={2000}
        data-autofocus
        key={form.key('reason')}
        {...form.getInputProps('reason')}
      />
      <TextInput
        label="Responsible person"
        maxLength={200}
        autoComplete="off"
        key={form.key('person')}
        {...form.getInputProps('person')}
      />
      <TextInput
        type="datetime-local"
        label={`Expires (${viewerZone(zone)})`}
        key={form.key('expires')}
        {...form.getInputProps('expires')}
      />
      <Group gap={8}>
        {presetDays(longestMs).map((days) => (
          <Button
            key={days}
            variant="default"
            onClick={() => {
              form.setFieldValue('expires', expiryAfter(days, clock()))
            }}
          >
            In {days} days
          </Button>
        ))}
      </Group>
    </WaiverModal>
  )
}

function Ending({
  wish: { policy, waiver },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'end' }>
  onClose: () => void
}): ReactElement {
  const end = useEndWaiver()
  return (
    <WaiverModal
      title={`End the waiver for ${policy} now?`}
      refusal={end.error}
      isSending={end.isPending}
      confirm="End waiver"
      onConfirm={() => {
        end.mutate(waiver.id, { onSuccess: onClose })
      }}
      onClose={onClose}
    >
      <WaiverMark waiver={waiver} />
      <Text>The policy counts as failing again immediately. The waiver stays in the history.</Text>
    </WaiverModal>
  )
}

/** A title, what the waiver needs, why it was refused, and the buttons. */
function WaiverModal({
  title,
  refusal,
  isSending,
  confirm,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  refusal: Error | null
  isSending: boolean
  /** The label of the button that does it. */
  confirm: string
  onConfirm: (event: SyntheticEvent<HTMLFormElement>) => void
  onClose: () => void
  children: ReactNode
}): ReactElement {
  return (
    <Modal
      opened
      size={600}
      title={title}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSending) onConfirm(event)
        }}
      >
        <Stack gap={12}>
          {children}
          {refusal !== null && (
            <Notice role="alert" tone="bad">
              {waiverRefusal(refusal)}
            </Notice>
          )}
          <Group gap={8} justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              mih={32}
              h="auto"
              style={{ whiteSpace: 'normal' }}
              aria-disabled={isSending}
            >
              {isSending ? 'Sending…' : confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** "waived until 4 Dec by alice: reason", to stand beside a status that stays what it is. */
export function WaiverMark({ waiver }: { waiver: Waiver }): ReactElement {
  const { zone } = usePreferences()
  const { person, by, reason, expiresAt } = waiver
  const until = useDerivedFromNow((now) => expiryText(expiresAt, zone, now))
  return (
    <span
      className={css.mark}
      data-waiver={waiver.id}
      title={`Until ${instantText(expiresAt, zone)}, granted by ${by}`}
    >
      <StatusShape tone="waiting" />
      <span>
        waived until {until} by {person}: {reason}
      </span>
    </span>
  )
}
