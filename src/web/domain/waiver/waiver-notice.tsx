import type { ReactElement } from 'react'
import { Notice } from '../../ui/notice.tsx'

/** Where waivers cannot be read: what that means for the verdict. Nothing else is kept from anybody. */
export function WaiverNotice({
  fault,
  isKnown,
  onRetry,
}: {
  fault: string | undefined
  isKnown: boolean
  onRetry: () => unknown
}): ReactElement | null {
  if (fault === undefined) return null
  return (
    <Notice
      testId="waiver-notice"
      action={
        <button type="button" onClick={() => void onRetry()}>
          Try again
        </button>
      }
    >
      {isKnown
        ? "Can't refresh waivers. They may have changed: "
        : "Can't load waivers, so none are counted: "}
      {fault}
    </Notice>
  )
}
