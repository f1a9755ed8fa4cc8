import { lastExpiry } from '../../../policy/waived-verdict.ts'
import { Button, Group, Text, TextInput } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import { Link } from 'react-router'
import * as z from 'zod/mini'
import { isRenewable, type RegisterPart, waiverCsv } from '../../../policy/waiver-register.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { useAllWaivers, useApproveWaivers, useUnmatchedWaivers } from '../../data/scans/waivers.ts'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { usePermitted } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { lazyPopup } from '../../ui/lazy-part.tsx'
import { WaiverNotice } from '../../domain/waiver/waiver-mark.tsx'
import { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import { approvalBlock, endVerb } from '../../domain/waiver/waiver-draft.ts'
import { download } from '../../ui/download.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import { ClearFilters } from '../../ui/folded-filters.tsx'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel, RetryNotice } from '../../ui/problem.tsx'
import { useRowSelection } from '../../ui/row-selection.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import {
  shownWaivers,
  waiversAddress,
  type WaiversAddress,
  waiverSubject,
  WaiverTable,
} from './waiver-table.tsx'

const WaiverDialog = lazyPopup(
  async () => (await import('../../domain/waiver/waiver-dialog.tsx')).WaiverDialog,
)

/** The register: every waiver that is in force, waits, ends soon, matches nothing, or is over. */
export function WaiversPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <WaiversScreen />
    </PolicyServiceScope>
  )
}

function WaiversScreen(): ReactElement {
  const { data, error, isPending, refetch } = useAllWaivers()
  if (data === undefined) {
    return (
      <div className={pageCss.page}>
        {isPending ? (
          <PageHeader sentence="Loading waivers…" />
        ) : (
          <ProblemPanel
            isPage
            problem={problemWords(error, {
              action: 'show',
              noun: 'waivers',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: refetch }}
          />
        )}
      </div>
    )
  }
  return (
    <Register
      waivers={data.waivers}
      longestMs={data.longestMs}
      fault={error?.message}
      onRetry={refetch}
    />
  )
}

const none: ReadonlySet<string> = new Set()

const parts: readonly { readonly part: RegisterPart; readonly name: string }[] = [
  { part: 'in force', name: 'In force' },
  { part: 'waiting', name: 'Waiting for approval' },
  { part: 'ending', name: 'Ending in the next 7 days' },
  { part: 'unmatched', name: 'Matching nothing' },
  { part: 'ended', name: 'Ended' },
]

/** "2 of 3 waivers match, 1 in force.", in whatever part of the register. */
function matchSentence(
  { 'in force': inForce, waiting, ended }: Readonly<Record<RegisterPart, number>>,
  all: number,
): string {
  const matching = inForce + waiting + ended
  const still = inForce === 0 ? 'none' : countText(inForce)
  const rest = inForce === matching ? '' : `, ${still} in force`
  return `${countText(matching)} of ${countOf(all, 'waiver')} ${matching === 1 ? 'matches' : 'match'}${rest}.`
}

function Register({
  waivers,
  longestMs,
  fault,
  onRetry,
}: {
  waivers: readonly Waiver[]
  longestMs: number
  fault: string | undefined
  onRetry: () => unknown
}): ReactElement {
  const [address, change] = useSearchState(waiversAddress)
  const [wish, setWish] = useDraftState('waiver.wish', z.optional(WaiverWish), undefined)
  const { proxyNow } = useServices().session
  const { data: unmatched, error: whyUnknown, refetch } = useUnmatchedWaivers()
  // Whole minutes, and each expiry: what stands where changes no more often than that.
  const changedAt = useDerivedFromNow(() => {
    const now = proxyNow()
    return Math.max(Math.floor(now / 60_000) * 60_000, lastExpiry(waivers, now))
  })
  const at = useMemo(
    () => ({ now: Math.max(changedAt, proxyNow()), unmatched: unmatched ?? none }),
    [changedAt, proxyNow, unmatched],
  )
  const all = useMemo(
    () => shownWaivers(waivers, { show: 'in force', text: '', person: '', group: '' }, at).counts,
    [waivers, at],
  )
  const renewing = useMemo(() => renewedOnceApproved(waivers, at.now), [waivers, at])
  const [waited, setWaited] = useState<ReadonlySet<string>>(new Set())
  const { shown, counts } = useMemo(
    () => shownWaivers(waivers, address, at, waited),
    [waivers, address, at, waited],
  )
  // What is approved stays in its row until another part is opened: if the next waiver took its place,
  // a second tap would approve that one.
  const waiting = address.show === 'waiting' ? shown.map(({ id }) => id) : []
  if (!waiting.every((id) => waited.has(id))) setWaited(new Set([...waited, ...waiting]))
  if (address.show !== 'waiting' && waited.size > 0) setWaited(new Set())
  const order = useMemo(() => shown.map(({ id }) => id), [shown])
  const selection = useRowSelection(order)
  const partAddress = (part: RegisterPart): string =>
    `?${waiversAddress.write({ ...address, show: part }).toString()}`
  const isNarrowed = address.text !== '' || address.person !== '' || address.group !== ''
  return (
    <div className={pageCss.page}>
      <PageHeader
        sentence={isNarrowed ? matchSentence(counts, waivers.length) : registerSentence(all)}
        tone={all.waiting + all.ending > 0 ? 'waiting' : undefined}
        actions={
          <Button
            variant="default"
            disabled={shown.length === 0}
            onClick={() => {
              const csv = `\uFEFF${waiverCsv(shown, at.now)}`
              download(new Blob([csv], { type: 'text/csv;charset=utf-8' }), 'waivers.csv')
            }}
          >
            Export CSV
          </Button>
        }
      />
      <WaiverNotice fault={fault} isKnown onRetry={onRetry} />
      {whyUnknown !== null && (
        <RetryNotice
          sentence={`Can't check which waivers match nothing: ${whyUnknown.message}`}
          onRetry={() => void refetch()}
        />
      )}
      <nav aria-label="Waivers">
        <Group gap={8}>
          {parts.map(({ part, name }) => (
            <Button
              key={part}
              component={Link}
              to={partAddress(part)}
              variant={address.show === part ? 'light' : 'default'}
              aria-current={address.show === part ? 'page' : undefined}
            >
              {name} (
              {part === 'unmatched' && unmatched === undefined ? '…' : countText(counts[part])})
            </Button>
          ))}
        </Group>
      </nav>
      <Filters address={address} onChange={change} />
      <Selected
        waivers={shown.filter(({ id }) => selection.selected.has(id))}
        now={at.now}
        longestMs={longestMs}
        onWish={setWish}
        onClear={selection.clear}
      />
      {shown.length === 0 ? (
        <EmptyState
          title={
            address.show === 'unmatched' && unmatched === undefined
              ? whyUnknown === null
                ? 'Checking which waivers match nothing…'
                : "Can't show the waivers that match nothing."
              : isNarrowed
                ? 'No waivers match.'
                : emptyTitles[address.show]
          }
          action={
            isNarrowed ? (
              <ClearFilters
                onClear={() => {
                  change({ text: '', person: '', group: '' })
                }}
              />
            ) : (
              address.show === 'in force' &&
              all.waiting > 0 && (
                <Link to={partAddress('waiting')}>
                  {`Show ${countOf(all.waiting, 'waiver')} waiting for approval`}
                </Link>
              )
            )
          }
        >
          {!isNarrowed && <p>{emptyTexts[address.show]}</p>}
        </EmptyState>
      ) : (
        <WaiverTable
          waivers={shown}
          at={at}
          renewing={renewing}
          longestMs={longestMs}
          selection={selection}
          onWish={setWish}
          onGroup={(group) => {
            change({ group })
          }}
        />
      )}
      {wish !== undefined && (
        <WaiverDialog
          wish={wish}
          onClose={() => {
            setWish(undefined)
          }}
        />
      )}
    </div>
  )
}

/** The ids of those that waivers are to renew that wait for approval at `now`, epoch ms. */
function renewedOnceApproved(waivers: readonly Waiver[], now: number): ReadonlySet<string> {
  const waiting = waivers.filter((one) => waiverStanding(one, now) === 'waiting for approval')
  return new Set(waiting.flatMap(({ renews }) => renews ?? []))
}

/** "12 waivers in force: 2 end in the next 7 days, 1 matches nothing. 3 wait for approval." */
export function registerSentence(counts: Readonly<Record<RegisterPart, number>>): string {
  const { 'in force': inForce, waiting, ending, unmatched } = counts
  const wait = `${countText(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for approval.`
  const found = `${inForce === 0 ? 'No waivers' : countOf(inForce, 'waiver')} in force`
  const more = [
    ...(ending > 0
      ? [`${countText(ending)} ${ending === 1 ? 'ends' : 'end'} in the next 7 days`]
      : []),
    ...(unmatched > 0
      ? [`${countText(unmatched)} ${unmatched === 1 ? 'matches' : 'match'} nothing`]
      : []),
  ]
  return `${found}${more.length > 0 ? `: ${more.join(', ')}` : ''}.${waiting > 0 ? ` ${wait}` : ''}`
}

const emptyTitles: Readonly<Record<RegisterPart, string>> = {
  'in force': 'Nothing is waived.',
  waiting: 'No waivers wait for approval.',
  ending: 'No waivers end in the next 7 days.',
  unmatched: 'Every waiver is needed.',
  ended: 'No waivers have ended.',
}

const emptyTexts: Readonly<Record<RegisterPart, string>> = {
  'in force':
    'A waiver accepts a failing policy until a date. Grant one on a policy scan or on a release board.',
  waiting:
    'Where approval is configured, waivers are listed here until someone else approves them.',
  ending: 'Waivers that end in the next 7 days are listed here, to renew or to let them end.',
  unmatched:
    'Waivers are listed here when recorded runs show that the policy no longer fails without them.',
  ended: 'Waivers that expired, were ended, renewed, declined or withdrawn are listed here.',
}

function Filters({
  address,
  onChange,
}: {
  address: WaiversAddress
  onChange: (change: Partial<WaiversAddress>, replace?: boolean) => void
}): ReactElement {
  return (
    <Group role="search" aria-label="Waivers" gap="8px 16px">
      <TextInput
        type="search"
        w={280}
        maw="100%"
        aria-label="Package, policy, reason or ticket contains"
        placeholder="Package, policy, reason or ticket…"
        value={address.text}
        onChange={({ target }) => {
          onChange({ text: target.value }, true)
        }}
      />
      <TextInput
        type="search"
        w={180}
        maw="100%"
        aria-label="Person contains"
        placeholder="Person…"
        value={address.person}
        onChange={({ target }) => {
          onChange({ person: target.value }, true)
        }}
      />
      {address.group !== '' && (
        <Button
          variant="light"
          aria-label="Remove the filter granted together"
          onClick={() => {
            onChange({ group: '' })
          }}
        >
          Granted together ✕
        </Button>
      )}
    </Group>
  )
}

/** What can be done with the waivers that are selected; each action takes those that it is for. */
function Selected({
  waivers,
  now,
  longestMs,
  onWish,
  onClear,
}: {
  waivers: readonly Waiver[]
  now: number
  longestMs: number
  onWish: (wish: WaiverWish) => void
  onClear: () => void
}): ReactElement | null {
  const user = useSessionUser()
  const { approve, refusal } = useApproveWaivers(waivers)
  const open = waivers.filter((waiver) =>
    ['in force', 'waiting for approval'].includes(waiverStanding(waiver, now)),
  )
  const waiting = waivers.filter(
    (waiver) =>
      waiverStanding(waiver, now) === 'waiting for approval' &&
      approvalBlock(waiver, user) === undefined,
  )
  const renewable = waivers.filter((waiver) => isRenewable(waiver, now))
  const toApprove = usePermitted('waive', waiting, waiverSubject)
  const toRenew = usePermitted('waive', renewable, waiverSubject)
  const toEnd = usePermitted('waive', open, waiverSubject)
  if (waivers.length === 0) return null
  // None where nothing is permitted: then the button says why.
  const count = (allowed: readonly Waiver[], all: readonly Waiver[]): string =>
    countText(allowed.length || all.length)
  return (
    <>
      <Group gap={8} role="toolbar" aria-label="Selected waivers">
        <Text>{countText(waivers.length)} selected</Text>
        {waiting.length > 0 && (
          <PermittedButton
            {...toApprove.button}
            onClick={() => {
              approve(toApprove.allowed.map(({ id }) => id))
            }}
          >
            Approve {count(toApprove.allowed, waiting)}
          </PermittedButton>
        )}
        {renewable.length > 0 && (
          <PermittedButton
            {...toRenew.button}
            variant="default"
            onClick={() => {
              onWish({ is: 'renew', waivers: [...toRenew.allowed], longestMs })
            }}
          >
            Renew {count(toRenew.allowed, renewable)}…
          </PermittedButton>
        )}
        {open.length > 0 && (
          <PermittedButton
            {...toEnd.button}
            variant="default"
            onClick={() => {
              onWish({ is: 'end', waivers: [...toEnd.allowed] })
            }}
          >
            {endVerb(toEnd.allowed, user?.name, now)} {count(toEnd.allowed, open)}…
          </PermittedButton>
        )}
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear selection
        </Button>
      </Group>
      {refusal !== undefined && (
        <Notice role="alert" tone="bad">
          {refusal}
        </Notice>
      )}
    </>
  )
}
