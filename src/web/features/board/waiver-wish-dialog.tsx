import { type ReactElement, useEffect } from 'react'
import { policyName } from '../../../policy/policy-name.ts'
import { useSession, useSessionUser } from '../../data/core/session-context.ts'
import { waiverRefusal } from '../../data/scans/waiver-refusal.ts'
import { useEndWaiver, useGiveWaiver } from '../../data/scans/waivers.ts'
import { WaiverDialog } from '../../domain/waiver/waiver-dialog.tsx'
import { WaiverEndDialog } from '../../domain/waiver/waiver-end-dialog.tsx'
import type { WaiverWish } from './waiver-wish.ts'

/** Asks what a wish needs, and fulfils it; over when the proxy has it and the board counts it. */
export function WaiverWishDialog({
  wish,
  onClose,
}: {
  wish: WaiverWish
  onClose: () => void
}): ReactElement {
  const { from } = wish
  useEffect(
    () => () => {
      // A dialog that is taken away, as after it was sent, gives the focus to nobody.
      from.focus()
    },
    [from],
  )
  return wish.is === 'give' ? (
    <Giving wish={wish} onClose={onClose} />
  ) : (
    <Ending wish={wish} onClose={onClose} />
  )
}

function Giving({
  wish: { policyUri, scan, of, longestMs },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'give' }>
  onClose: () => void
}): ReactElement {
  const give = useGiveWaiver()
  const user = useSessionUser()
  const { proxyNow } = useSession()
  return (
    <WaiverDialog
      policy={policyName(policyUri).name}
      of={of}
      initial={{ reason: '', person: user?.name ?? '' }}
      longestMs={longestMs}
      now={proxyNow}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      onGive={(given) => {
        give.mutate({ ...scan, ...given, policyUri, carriedFrom: null }, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}

function Ending({
  wish: { policyUri, waiver },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'end' }>
  onClose: () => void
}): ReactElement {
  const end = useEndWaiver()
  return (
    <WaiverEndDialog
      policy={policyName(policyUri).name}
      waiver={waiver}
      refusal={end.error === null ? undefined : waiverRefusal(end.error)}
      isSending={end.isPending}
      onEnd={() => {
        end.mutate(waiver.id, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}
