import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { confirmScreen, revokeScreen, screensQuery } from '../../data/wall/screens.ts'
import { RelativeTime } from '../../ui/time.tsx'
import css from './wall-panels.module.css'
import { useServices } from '../../data/core/services.ts'

/** The screens that have a credential of their own: confirm a code, see them, revoke one. */
export function ScreensPanel(): ReactElement {
  const { request } = useServices()
  const queries = useQueryClient()
  const screens = useQuery(screensQuery(request))
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const again = () => queries.invalidateQueries({ queryKey: ['screens'] })
  const confirm = useMutation({
    mutationFn: () => confirmScreen(request, { code, name }),
    onSuccess: () => {
      setCode('')
      setName('')
      return again()
    },
  })
  const revoke = useMutation({
    mutationFn: (id: string) => revokeScreen(request, id),
    onSettled: again,
  })
  const fault = confirm.error ?? revoke.error ?? screens.error
  return (
    <>
      <p className={css.hint}>
        A wall that is not signed in shows a code. Whoever types it here lets that screen read
        builds, and nothing else, until it is revoked.
      </p>
      <form
        className={css.fields}
        onSubmit={(event) => {
          event.preventDefault()
          confirm.mutate()
        }}
      >
        <label htmlFor="screen-code">Code on the screen</label>
        <input
          id="screen-code"
          className={css.input}
          value={code}
          autoComplete="off"
          autoFocus
          placeholder="K7RM-4XTN"
          required
          onChange={({ currentTarget }) => {
            setCode(currentTarget.value)
          }}
        />
        <label htmlFor="screen-name">Name of the screen</label>
        <input
          id="screen-name"
          className={css.input}
          value={name}
          placeholder="Third floor, left"
          maxLength={80}
          required
          onChange={({ currentTarget }) => {
            setName(currentTarget.value)
          }}
        />
        <span />
        <span>
          <button type="submit" className={css.main} disabled={confirm.isPending}>
            Let it in
          </button>
        </span>
      </form>
      <p role="status" className={css.mistake}>
        {fault?.message ?? ''}
      </p>
      {screens.data?.length === 0 && <p className={css.hint}>No screen has been let in yet.</p>}
      <ul className={css.list}>
        {screens.data?.map(({ id, name: title, by, lastSeenAt }) => (
          <li key={id} className={css.row}>
            <strong>{title}</strong>
            <span>{`let in by ${by}, last seen`}</span>
            {lastSeenAt === null ? 'never' : <RelativeTime at={lastSeenAt} />}
            <button
              type="button"
              className={css.button}
              aria-label={`Revoke ${title}`}
              disabled={revoke.isPending}
              onClick={() => {
                revoke.mutate(id)
              }}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
