import { Box, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { policyName } from '../../../policy/policy-group.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageWords } from '../../../protocol/package-reference.ts'
import { mostWaiversAtOnce, type Waiver } from '../../../protocol/waiver.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { useEndWaivers, useGiveWaivers, waiverRefusal } from '../../data/scans/waivers.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraft } from '../../ui/drafts.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { viewerZone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { expiryAfter } from '../../ui/moment-field.ts'
import { PresetEnds } from '../../ui/reason-until.tsx'
import { endVerb, presetDays, readWaiverDraft, WaiverDraft } from './waiver-draft.ts'
import { WaiverMark } from './waiver-mark.tsx'
import type { WaiverChoice, WaiverWish } from './waiver-wish.ts'
import { readVersions, type VersionsDraft, WaiverVersions } from './waiver-versions.tsx'

/** Gives, renews or ends waivers; it closes when the server has recorded it. */
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
  switch (wish.is) {
    case 'give':
      return (
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
      )
    case 'renew':
      return <RenewWaivers waivers={wish.waivers} longestMs={wish.longestMs} onClose={onClose} />
    case 'end':
      return <EndWaivers waivers={wish.waivers} onClose={onClose} />
  }
}

function Giving({
  wish: { choices, longestMs, approval, carriedFrom },
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
  const give = useGiveWaivers()
  const [chosen, setChosen] = useState(0)
  const [versions, setVersions] = useState<VersionsDraft>({ is: 'artifact' })
  const { policy, places, leftOut } = choices[chosen] ?? { policy: '', places: [] }
  const [place] = places
  const waived = places.slice(0, mostWaiversAtOnce)
  const isOne = places.length === 1 && place !== undefined
  const { proxyNow } = useServices().session
  const { zone } = usePreferences()
  const clock = () => ({ now: proxyNow(), longestMs, zone })
  const form = useForm<WaiverDraft>({
    onValuesChange: onChange,
    initialValues: kept ?? {
      reason: carriedFrom?.reason ?? '',
      person: carriedFrom?.person ?? user?.name ?? '',
      ticket: carriedFrom?.ticket ?? '',
      expires: expiryAfter(14, clock()),
    },
    validate: (draft) => {
      const read = readWaiverDraft(draft, clock())
      return read.ok ? {} : read.mistakes
    },
  })

  function send(draft: WaiverDraft): void {
    const read = readWaiverDraft(draft, clock())
    const range = isOne ? readVersions(versions) : { ok: true as const, versions: null }
    if (!read.ok || !range.ok) return
    give.mutate(
      waived.map(({ of }) => ({
        ...of,
        ...read.waiver,
        versions: range.versions,
        carriedFrom: carriedFrom?.id ?? null,
      })),
      { onSuccess: onClose },
    )
  }

  const what = isOne ? policy : `${policy} on ${placesText(waived)}`
  return (
    <FormDialog
      title={choices.length > 1 ? 'Waive a policy' : `Waive ${what}?`}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      confirm={`Waive ${what}`}
      onConfirm={form.onSubmit(send, (errors) => {
        const [first = 'reason'] = Object.keys(errors)
        form.getInputNode(first)?.focus()
      })}
      onClose={onClose}
    >
      {choices.length > 1 && (
        <NativeSelect
          label="Policy"
          value={String(chosen)}
          onChange={(event) => {
            setChosen(Number(event.currentTarget.value))
          }}
          data={choices.map((choice, index) => ({
            value: String(index),
            label: `${choice.policy} (${placesText(choice.places)})`,
          }))}
        />
      )}
      <Text>
        {isOne && `For ${place.text}. `}The policy service still reports it as unsatisfied.
        Sightline shows and records that it is waived, until when and by whom.
      </Text>
      {!isOne && (
        <Places texts={waived.map(({ text }) => text)} left={places.length - waived.length} />
      )}
      {leftOut !== undefined && <Text c="dimmed">{leftOut}</Text>}
      {approval !== 'none' && (
        <Notice>
          {approval === 'required'
            ? 'Needs approval by another releaser.'
            : 'May need approval by another releaser.'}
        </Notice>
      )}
      {isOne && carriedFrom === undefined && (
        <WaiverVersions of={place.of} draft={versions} onChange={setVersions} />
      )}
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
        label="Ticket (optional)"
        placeholder="REL-42 or https://…"
        maxLength={500}
        autoComplete="off"
        key={form.key('ticket')}
        {...form.getInputProps('ticket')}
      />
      <TextInput
        type="datetime-local"
        label={`Ends (${viewerZone(zone)})`}
        key={form.key('expires')}
        {...form.getInputProps('expires')}
      />
      <PresetEnds
        days={presetDays(longestMs)}
        onPick={(days) => {
          form.setFieldValue('expires', expiryAfter(days, clock()))
        }}
      />
    </FormDialog>
  )
}

/** "40 packages"; "2 packages in 3 scans" where one is waived in several of them. */
function placesText(places: WaiverChoice['places']): string {
  const packages = new Set(places.map(({ of }) => `${of.packagePath} ${of.sha256}`)).size
  const named = countOf(packages, 'package')
  if (packages === places.length) return named
  return `${named} in ${countOf(new Set(places.map(({ of }) => of.scan)).size, 'scan')}`
}

/** "the waiver for sbom-present on payments 3.1.0, scan release"; a waiver of several versions names them by the first. */
function waiverText({ policyUri, packagePath, scan }: Waiver): string {
  return `the waiver for ${policyName(policyUri).name} on ${packageWords(packagePath)}, scan ${scan}`
}

/** All of them, folded. */
function Places({ texts, left }: { texts: readonly string[]; left: number }): ReactElement {
  return (
    <details>
      <summary>Show all {texts.length}</summary>
      <Box
        component="ul"
        mah={160}
        m={0}
        pl={24}
        style={{ overflow: 'auto', overflowWrap: 'anywhere' }}
      >
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </Box>
      {left > 0 && (
        <Text c="dimmed">{countOf(left, 'more failure')} must be waived afterwards.</Text>
      )}
    </details>
  )
}

/** Ends waivers before their time, or declines those that wait for approval. */
function EndWaivers({
  waivers,
  onClose,
}: {
  waivers: readonly Waiver[]
  onClose: () => void
}): ReactElement {
  const end = useEndWaivers()
  const user = useSessionUser()
  const { proxyNow } = useServices().session
  // As it was when it was opened: what is over meanwhile, the server says.
  const [verb] = useState(() => endVerb(waivers, user?.name, proxyNow()))
  const [first] = waivers
  const isOne = waivers.length === 1
  const what = isOne && first !== undefined ? waiverText(first) : countOf(waivers.length, 'waiver')
  return (
    <FormDialog
      title={verb === 'End' ? `End ${what} now?` : `${verb} ${what}?`}
      refusal={end.error === null ? undefined : waiverRefusal(end.error)}
      isSending={end.isPending}
      confirm={`${verb} ${isOne ? 'waiver' : countOf(waivers.length, 'waiver')}`}
      onConfirm={() => {
        end.mutate(
          waivers.map(({ id }) => id),
          { onSuccess: onClose },
        )
      }}
      onClose={onClose}
    >
      {isOne && first !== undefined && <WaiverMark waiver={first} />}
      <Text>
        {verb === 'End'
          ? isOne
            ? 'The policy counts as failing again immediately.'
            : 'Their policies count as failing again immediately.'
          : isOne
            ? 'The policy keeps counting as failing.'
            : 'Their policies keep counting as failing.'}{' '}
        {isOne ? 'The waiver stays in the history.' : 'The waivers stay in the history.'}
      </Text>
    </FormDialog>
  )
}

/** Renews waivers: each gets another entry with a new end, and the same reason, person and ticket. */
function RenewWaivers({
  waivers,
  longestMs,
  onClose,
}: {
  waivers: readonly Waiver[]
  /** The longest that a waiver may last, ms. */
  longestMs: number
  onClose: () => void
}): ReactElement {
  const give = useGiveWaivers()
  const { proxyNow } = useServices().session
  const { zone } = usePreferences()
  const clock = () => ({ now: proxyNow(), longestMs, zone })
  const [expires, setExpires] = useState(() => expiryAfter(14, clock()))
  const [mistake, setMistake] = useState<string>()
  const [first] = waivers
  const isOne = waivers.length === 1 && first !== undefined
  const what = isOne ? waiverText(first) : countOf(waivers.length, 'waiver')

  function send(): void {
    const read = readWaiverDraft({ reason: '-', person: '-', ticket: '', expires }, clock())
    setMistake(read.ok ? undefined : read.mistakes.expires)
    if (!read.ok) return
    const { expiresAt } = read.waiver
    const renewed = waivers.map(
      ({ packagePath, sha256, scan, policyUri, reason, person, ticket, versions, id }) => ({
        ...{ packagePath, sha256, scan, policyUri, reason, person, ticket, versions },
        expiresAt,
        renews: id,
      }),
    )
    give.mutate(renewed, { onSuccess: onClose })
  }

  return (
    <FormDialog
      title={`Renew ${what}?`}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      confirm={isOne ? 'Renew waiver' : `Renew ${countOf(waivers.length, 'waiver')}`}
      onConfirm={send}
      onClose={onClose}
    >
      {isOne && <WaiverMark waiver={first} />}
      <Text>
        {isOne
          ? 'This replaces the waiver and keeps its reason.'
          : 'This replaces the waivers and keeps their reasons.'}
      </Text>
      <TextInput
        type="datetime-local"
        label={`Ends (${viewerZone(zone)})`}
        data-autofocus
        value={expires}
        error={mistake}
        onChange={(event) => {
          setExpires(event.currentTarget.value)
        }}
      />
      <PresetEnds
        days={presetDays(longestMs)}
        onPick={(days) => {
          setExpires(expiryAfter(days, clock()))
        }}
      />
    </FormDialog>
  )
}
