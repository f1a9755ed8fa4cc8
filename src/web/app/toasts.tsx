import '@mantine/core/styles/Notification.layer.css'
import '@mantine/notifications/styles.layer.css'
import { Notifications } from '@mantine/notifications'
import type { ReactElement } from 'react'

/** Where `toast` (ui/toast.ts) speaks. */
export function Toasts(): ReactElement {
  return <Notifications position="bottom-left" limit={3} containerWidth={360} />
}
