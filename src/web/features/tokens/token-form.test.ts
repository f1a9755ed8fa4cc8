import { describe, expect, test } from 'vitest'
import { emptyDraft, readTokenDraft, type TokenDraft } from './token-form.tsx'

const read = (changed: Partial<TokenDraft>) => readTokenDraft({ ...emptyDraft, ...changed })
const one = { permissions: ['exportData'] }

describe('a draft of an access token', () => {
  test('requests the selected permissions and those that were typed, each once', () => {
    expect(
      read({
        permissions: ['exportData', 'readCache'],
        others: ' viewScan, readCache,\ndeleteScan ',
      }),
    ).toEqual({
      ok: true,
      request: {
        permissions: ['exportData', 'readCache', 'viewScan', 'deleteScan'],
        expiresInHours: 2,
      },
    })
  })

  test('requests no permissions for a token that gets all of them', () => {
    expect(read({ isAll: true, permissions: ['exportData'], others: 'not a name!' })).toEqual({
      ok: true,
      request: { expiresInHours: 2 },
    })
  })

  test('never requests all permissions because none was selected', () => {
    expect(read({})).toEqual({
      ok: false,
      mistakes: { permissions: 'Select at least one permission.' },
    })
  })

  test('requests projects only where some are named', () => {
    expect(read({ ...one, projects: 'shop, my bank' })).toMatchObject({
      request: { projectIds: ['shop', 'my bank'] },
    })
    expect(read({ ...one, projects: ' , ' })).toEqual({
      ok: true,
      request: { ...one, expiresInHours: 2 },
    })
  })

  test.each([
    ['', undefined],
    ['24', 24],
    ['0.5', 0.5],
  ])('takes %j hours', (hours, expiresInHours) => {
    expect(read({ ...one, hours })).toEqual({
      ok: true,
      request: { ...one, ...(expiresInHours === undefined ? {} : { expiresInHours }) },
    })
  })

  test.each(['0', '24.5', '25', '-1', '1e1', 'two', '0x2'])('refuses %j hours', (hours) => {
    expect(read({ ...one, hours })).toMatchObject({
      mistakes: { hours: 'Enter a number of hours above 0, at most 24.' },
    })
  })

  test('takes 50 permissions and 50 projects, and says how many there are of more', () => {
    const list = (most: number) => Array.from({ length: most }, (_, at) => `n${at}`).join(', ')
    expect(read({ others: list(50), projects: list(50) })).toHaveProperty('ok', true)
    expect(read({ ...one, others: list(50), projects: list(52) })).toEqual({
      ok: false,
      mistakes: {
        others: 'A token takes at most 50 permissions. These are 51.',
        projects: 'A token takes at most 50 project ids. These are 52.',
      },
    })
    expect(read({ isAll: true, others: list(60) })).toHaveProperty('ok', true)
  })

  test('says at the projects that they are too long for one request, and to create several tokens', () => {
    const ids = (length: number) =>
      Array.from({ length: 50 }, (_, at) => String(at).padEnd(length, 'x')).join(', ')
    expect(read({ ...one, projects: ids(120) })).toHaveProperty('ok', true)
    expect(read({ ...one, projects: ids(190) })).toEqual({
      ok: false,
      mistakes: {
        projects: 'These project ids are too long for one request. Create several tokens.',
      },
    })
  })

  test('refuses what is no configuration value', () => {
    expect(read({ others: 'read cache' })).toHaveProperty('mistakes.others')
  })
})
