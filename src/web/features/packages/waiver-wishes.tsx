import type { ReactElement } from 'react'
import { useSessionUser } from '../../data/core/session-context.ts'
import { waiverRefusal } from '../../data/scans/waiver-refusal.ts'
import { useEndWaiver, useGiveWaiver } from '../../data/scans/waivers.ts'
import { WaiverDialog } from '../../domain/waiver/waiver-dialog.tsx'
import { WaiverEndDialog } from '../../domain/waiver/waiver-end-dialog.tsx'
import type { WaiverWish } from './waiver-context.ts'
import type { WaiverState } from './waiver-state.ts'

/** Gives a waiver as somebody wishes it; the dialog is over when the proxy has it. */
export function WaiverGiving({
  wish: { group, carriedFrom },
  state: { scan, longestMs, now },
  of,
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'give' }>
  state: WaiverState
  of: string
  onClose: () => void
}): ReactElement {
  const give = useGiveWaiver()
  const user = useSessionUser()
  return (
    <WaiverDialog
      policy={group.name}
      of={of}
      initial={{
        reason: carriedFrom?.reason ?? '',
        person: carriedFrom?.person ?? user?.name ?? '',
      }}
      longestMs={longestMs}
      now={now}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      onGive={(given) => {
        give.mutate(
          { ...scan, ...given, policyUri: group.policyUri, carriedFrom: carriedFrom?.id ?? null },
          { onSuccess: onClose },
        )
      }}
      onClose={onClose}
    />
  )
}

/** Ends a waiver as somebody wishes it. */
export function WaiverEnding({
  wish: { policy, waiver },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'end' }>
  onClose: () => void
}): ReactElement {
  const end = useEndWaiver()
  return (
    <WaiverEndDialog
      policy={policy}
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
