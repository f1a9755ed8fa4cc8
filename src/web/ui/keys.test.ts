import { describe, expect, test } from 'vitest'
import { keyStroke, keyWords, matchKeys, type PressedKey } from './keys.tsx'

function press(key: string, modifiers: Partial<PressedKey> = {}): string | undefined {
  return keyStroke({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...modifiers,
  })
}

describe('a key press has a name', () => {
  test('for plain keys', () => {
    expect(press('j')).toBe('j')
    expect(press(' ')).toBe('space')
    expect(press('ArrowDown')).toBe('arrowdown')
    expect(press('/')).toBe('/')
  })

  test('a question mark is one although it takes Shift', () => {
    expect(press('?', { shiftKey: true })).toBe('?')
  })

  test('Control and Command are the same modifier', () => {
    expect(press('k', { ctrlKey: true })).toBe('mod+k')
    expect(press('K', { metaKey: true })).toBe('mod+k')
  })

  test('other modifiers are left to the browser', () => {
    expect(press('J', { shiftKey: true })).toBeUndefined()
    expect(press('j', { altKey: true })).toBeUndefined()
    expect(press('R', { ctrlKey: true, shiftKey: true })).toBeUndefined()
    expect(press('ArrowDown', { shiftKey: true })).toBeUndefined()
    expect(press('Shift', { shiftKey: true })).toBeUndefined()
  })
})

describe('sequences', () => {
  const bindings = ['j', 'f', 'g f', 'g s']

  test('the first key of one waits for the second', () => {
    expect(matchKeys(bindings, undefined, 'g')).toEqual({ wait: 'g' })
    expect(matchKeys(bindings, 'g', 's')).toEqual({ found: 'g s' })
  })

  test('a key means another thing within one', () => {
    expect(matchKeys(bindings, undefined, 'f')).toEqual({ found: 'f' })
    expect(matchKeys(bindings, 'g', 'f')).toEqual({ found: 'g f' })
  })

  test('the key that breaks one off still does its own work', () => {
    expect(matchKeys(bindings, 'g', 'j')).toEqual({ found: 'j' })
    expect(matchKeys(bindings, 'g', 'x')).toBeUndefined()
  })
})

test('keys are written as they stand on the keyboard', () => {
  expect(keyWords('mod+k', false)).toEqual(['Ctrl+K'])
  expect(keyWords('mod+k', true)).toEqual(['⌘K'])
  expect(keyWords('g f', false)).toEqual(['G', 'F'])
  expect(keyWords('arrowdown', false)).toEqual(['↓'])
  expect(keyWords('arrowleft', false)).toEqual(['←'])
  expect(keyWords('?', false)).toEqual(['?'])
  expect(keyWords('f1', false)).toEqual(['F1'])
  expect(keyWords('+', false)).toEqual(['+'])
  expect(keyWords('+', true)).toEqual(['+'])
  expect(keyWords('mod++', true)).toEqual(['⌘+'])
  expect(keyWords('Mod+Shift+F', false)).toEqual(['Ctrl+Shift+F'])
  expect(keyWords('Mod+Shift+F', true)).toEqual(['⌘⇧F'])
})
