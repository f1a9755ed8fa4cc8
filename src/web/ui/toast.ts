import { useSyncExternalStore } from 'react'

let hasToasts = false
const listeners = new Set<() => void>()

/** Shows a message in the corner of the page for five seconds; loads what shows it when first needed. */
export async function toast(message: string): Promise<void> {
  hasToasts = true
  for (const listener of listeners) listener()
  const { notifications } = await import('@mantine/notifications')
  notifications.show({
    message,
    autoClose: 5000,
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close' },
  })
}

/** Whether there has been a message, so that the shell has to show them. */
export function useHasToasts(): boolean {
  return useSyncExternalStore(subscribe, () => hasToasts)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
