import { Button, CloseButton, Portal } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link, useLocation } from 'react-router'
import type { ProxyConfig } from '../../protocol/proxy-config.ts'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import { tipOf } from './demo-tips.ts'
import css from './shell.module.css'

/** What is worth a try on this page of the demo; nothing once it is closed on this device. */
export function DemoTip({ packages }: Pick<ProxyConfig, 'packages'>): ReactElement | null {
  const { pathname } = useLocation()
  const store = usePreferenceStore()
  const { closedTips = [] } = usePreferences()
  const tip = tipOf(pathname, packages)
  if (tip === undefined || closedTips.includes(tip.path)) return null
  const close = (): void => {
    store.change({ closedTips: [...closedTips, tip.path] })
  }
  return (
    <Portal>
      <aside className={css.tip} aria-label="Tip">
        <span>{tip.text}</span>
        <Button component={Link} to={tip.to} variant="light" onClick={close}>
          {tip.action}
        </Button>
        <CloseButton aria-label="Close this tip" onClick={close} />
      </aside>
    </Portal>
  )
}
