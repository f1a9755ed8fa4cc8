import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { type ComponentPropsWithRef, type ReactElement, useId } from 'react'
import type { Permission, PermissionSubject } from '../../../protocol/permission.ts'
import { VisuallyHidden } from '../../ui/text.tsx'
import { useMay } from './may.ts'

/**
 * A button for what not everybody may do. Without the permission, or where it is `blocked` by what a
 * sentence says, it stays where it is, takes the focus and does nothing; why, and which roles may, is in
 * its tooltip and its description.
 */
export function PermittedButton({
  permission,
  subject,
  blocked,
  onClick,
  children,
  ...button
}: ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & {
    permission: Permission
    subject?: PermissionSubject
    blocked?: string | undefined
  }): ReactElement {
  const { reason = blocked } = useMay(permission, subject)
  const id = useId()
  if (reason === undefined) {
    return (
      <Button {...button} onClick={onClick}>
        {children}
      </Button>
    )
  }
  return (
    <>
      {/* Beside the button, so that it is within its page or dialog. */}
      <Tooltip
        label={reason}
        multiline
        maw={320}
        events={{ hover: true, focus: true, touch: true }}
        withinPortal={false}
        floatingStrategy="fixed"
      >
        <Button
          {...button}
          data-disabled
          aria-disabled="true"
          aria-describedby={id}
          onClick={(event) => {
            // A form is not sent either, also not by Enter in one of its fields.
            event.preventDefault()
          }}
        >
          {children}
        </Button>
      </Tooltip>
      <VisuallyHidden id={id}>{reason}</VisuallyHidden>
    </>
  )
}
