import type { Page } from '@playwright/test'
import { drawn } from './accessibility.ts'

/** What is looked at on a page as it stands. */
interface Measured {
  /** Whether fingers point at it: then what can be touched is 44 px high and wide. */
  readonly isTouch: boolean
}

/**
 * What is wrong with where things stand on a page, a line each: what overlaps or covers what, what is cut
 * and says its end nowhere, what pans sideways, a page that is longer than its content, and on touch
 * screens what is too small to hit. Layers (dialogs, menus, what is sticky) may lie over the others.
 * What is so only while the page is being drawn in another size is none of it.
 */
export async function faultsOf(page: Page, measured: Measured): Promise<readonly string[]> {
  let faults = await page.evaluate(measure, measured)
  for (let look = 0; look < mostLooks && faults.length > 0; look++) {
    await drawn(page)
    const again = await page.evaluate(measure, measured)
    faults = faults.filter((fault) => again.includes(fault))
  }
  return faults
}

/** How often a fault is looked at again. */
const mostLooks = 10

/** Runs in the page. */
function measure({ isTouch }: Measured): string[] {
  /** How far boxes may reach into each other: lines of text are higher than their letters. */
  const slack = 3
  const touchSize = 44
  const controls =
    'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="button"], [role="tab"], [role="option"], [role="menuitem"], [role="switch"], [role="checkbox"], [role="slider"]'
  const faults = new Set<string>()

  interface Item {
    readonly element: Element
    /** What of it can be seen, the parts below the window included. */
    readonly box: DOMRect
    readonly whole: DOMRect
    readonly layer: Element
    readonly isControl: boolean
  }

  const dialogs = [...document.querySelectorAll('[role="dialog"], dialog[open]')].filter((one) =>
    one.checkVisibility(),
  )
  const modal = dialogs.findLast((one) => one.getAttribute('aria-modal') === 'true')
  const isModal = modal !== undefined

  const styles = new Map<Element, CSSStyleDeclaration>()
  function styleOf(element: Element): CSSStyleDeclaration {
    const known = styles.get(element) ?? getComputedStyle(element)
    styles.set(element, known)
    return known
  }

  function nameOf(element: Element): string {
    const text = (element.getAttribute('aria-label') ?? element.textContent)
      .replaceAll(/\s+/g, ' ')
      .trim()
    const shape = `${element.tagName.toLowerCase()}${classOf(element)}`
    return text === '' ? shape : `${shape} “${text.slice(0, 40)}”`
  }
  function classOf(element: Element): string {
    const own = element.getAttribute('class')?.split(' ')[0] ?? ''
    return own === '' ? '' : `.${own}`
  }

  /** Hidden text for screen readers, and what is not drawn at all. */
  function isDrawn(element: Element): boolean {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false
    for (let one: Element | null = element; one !== null; one = one.parentElement) {
      const style = styleOf(one)
      const isClipped = style.getPropertyValue('clip') === 'rect(0px, 0px, 0px, 0px)'
      if (style.clipPath === 'inset(50%)' || isClipped) return false
      if (one.getAttribute('aria-hidden') === 'true' && one.matches('[inert], [inert] *'))
        return false
    }
    return true
  }

  const layers = new Map<Element, Element>()
  /** What is drawn over or under the others on purpose: fixed, sticky, or lifted by a z-index. */
  function layerOf(element: Element): Element {
    const known = layers.get(element)
    if (known !== undefined) return known
    const { position, zIndex } = styleOf(element)
    const isLayer =
      position === 'fixed' ||
      position === 'sticky' ||
      (position === 'absolute' && zIndex !== 'auto' && zIndex !== '0') ||
      element.matches('[role="dialog"], dialog, [role="tooltip"], [data-layer]')
    const layer =
      isLayer || element.parentElement === null ? element : layerOf(element.parentElement)
    layers.set(element, layer)
    return layer
  }

  /** What of a box can be seen through the ancestors that clip it; undefined for nothing. */
  function visible(element: Element, box: DOMRect, isText: boolean): DOMRect | undefined {
    let { left, top, right, bottom } = box
    let isFixed = styleOf(element).position === 'fixed'
    let isOut = styleOf(element).position === 'absolute'
    let one: Element | null = isText ? element : element.parentElement
    for (; one !== null && (!isFixed || one === element); one = one.parentElement) {
      const { overflowX, overflowY, position } = styleOf(one)
      const clips = overflowX !== 'visible' || overflowY !== 'visible'
      // What is below the edge of the window is looked at, too.
      if (clips && !scrollers.has(one) && !(isOut && position === 'static' && one !== element)) {
        const frame = one.getBoundingClientRect()
        if (overflowX !== 'visible') {
          left = Math.max(left, frame.left)
          right = Math.min(right, frame.right)
        }
        if (overflowY !== 'visible') {
          top = Math.max(top, frame.top)
          bottom = Math.min(bottom, frame.bottom)
        }
      }
      if (position !== 'static') isOut = position === 'absolute'
      isFixed = position === 'fixed'
    }
    return right - left < 1 || bottom - top < 1
      ? undefined
      : new DOMRect(left, top, right - left, bottom - top)
  }

  const root = document.documentElement
  const scrollers = new Set<Element>(
    [root, document.body, document.querySelector('main')].filter((one) => one !== null),
  )
  // A press below the fold scrolled there: what lies under the header then overlaps nothing that is seen.
  for (const one of scrollers) one.scrollTop = 0
  const items: Item[] = []
  const scope = modal ?? document.body
  for (const element of scope.querySelectorAll('*')) {
    if (element.closest('script, style, noscript, datalist') !== null) continue
    const isControl = element.matches(controls)
    const texts = [...element.childNodes].filter(
      (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
    )
    // What is folded away has places, too.
    if (element.matches('details:not([open])')) continue
    if (!isControl && texts.length === 0) continue
    if (!isDrawn(element)) continue
    const layer = layerOf(element)
    if (isControl) {
      for (const box of element.getClientRects()) {
        const seen = visible(element, box, false)
        if (seen !== undefined) items.push({ element, box: seen, whole: box, layer, isControl })
      }
    }
    for (const text of texts) {
      const range = document.createRange()
      range.selectNodeContents(text)
      for (const box of range.getClientRects()) {
        const seen = visible(element, box, true)
        if (seen !== undefined)
          items.push({ element, box: seen, whole: box, layer, isControl: false })
        cut(element, box)
      }
    }
  }

  /** Text that ends behind an edge that nothing scrolls, and that no title or name says whole. */
  function cut(element: Element, box: DOMRect): void {
    let isOut = styleOf(element).position === 'absolute'
    for (let one: Element | null = element; one !== null; one = one.parentElement) {
      const { overflowX, overflowY, position } = styleOf(one)
      if (!(isOut && position === 'static' && one !== element)) {
        const frame = one.getBoundingClientRect()
        const lineSlack = Math.max(5, 0.2 * box.height)
        const isBeside = box.left > frame.right - 1 || box.right < frame.left + 1
        const isCutX =
          (overflowX === 'hidden' || overflowX === 'clip') &&
          (box.right > frame.right + 1.5 || box.left < frame.left - 1.5)
        const isCutY =
          (overflowY === 'hidden' || overflowY === 'clip') &&
          (box.bottom > frame.bottom + lineSlack || box.top < frame.top - lineSlack)
        if ((isCutX || isCutY) && !isSaid(element, one)) {
          faults.add(
            `${nameOf(element)} is cut${isBeside ? ' away' : ''} by ${nameOf(one)} and says its end nowhere`,
          )
          return
        }
        if (isCutX || isCutY) return
        // What scrolls shows all of itself.
        if (/auto|scroll/.test(overflowX) || /auto|scroll/.test(overflowY)) return
      }
      if (position !== 'static') isOut = position === 'absolute'
      if (position === 'fixed') return
    }
  }

  /** Whether a title or an accessible name around it has what is cut. */
  function isSaid(element: Element, edge: Element): boolean {
    const text = element.textContent.replaceAll(/\s+/g, ' ').trim()
    for (let one: Element | null = element; one !== null; one = one.parentElement) {
      const said = `${one.getAttribute('title') ?? ''} ${one.getAttribute('aria-label') ?? ''}`
      if (said.replaceAll(/\s+/g, ' ').includes(text) || one.hasAttribute('title')) return true
      const isRow = one.matches('tr, li, [role="row"], [role="option"], main, [role="dialog"]')
      if (isRow && edge.contains(one) && one !== edge) return false
      if (isRow) return false
    }
    return false
  }

  // What overlaps: each pair of one layer, none of which is in the other.
  const sorted = items.toSorted((a, b) => a.box.top - b.box.top)
  sorted.forEach((one, index) => {
    for (let at = index + 1; at < sorted.length; at++) {
      const other = sorted[at]
      if (other === undefined || other.box.top > one.box.bottom - slack) break
      if (other.layer !== one.layer || other.element === one.element) continue
      const isWithin =
        (one.isControl && one.element.contains(other.element)) ||
        (other.isControl && other.element.contains(one.element))
      if (
        isWithin ||
        isLabelOf(one.element, other.element) ||
        isLabelOf(other.element, one.element)
      )
        continue
      const width =
        Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const height =
        Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
      const least = Math.max(slack + 1, 0.2 * Math.min(one.box.height, other.box.height))
      if (width > slack && height > least) {
        faults.add(
          `${nameOf(one.element)} overlaps ${nameOf(other.element)} by ${Math.round(width)} x ${Math.round(height)} px`,
        )
      }
    }
  })

  /** A control that is drawn over by the whole of its row or by its own label is no fault. */
  function isLabelOf(label: Element, control: Element): boolean {
    return label.closest('label')?.contains(control) === true
  }

  // What is covered: the middle of a control belongs to it.
  for (const { element, box, isControl, layer } of items) {
    if (!isControl) continue
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) continue
    const top = document.elementFromPoint(x, y)
    if (top === null || element.contains(top) || top.contains(element)) continue
    if (isLabelOf(top, element) || top.closest('label')?.control === element) continue
    const over = layerOf(top)
    if (styleOf(element).pointerEvents === 'none') continue
    const isMeant =
      over !== layer &&
      (styleOf(over).position === 'sticky' ||
        over.closest(
          '[role="dialog"], [role="menu"], [role="listbox"], [role="tooltip"], [data-layer]',
        ) !== null)
    if (!isMeant) faults.add(`${nameOf(element)} is covered by ${nameOf(top)}`)
  }

  // What pans sideways, and what leaves the window at the left.
  if (!isModal) {
    for (const one of scrollers) {
      const isScrolled = one === root || styleOf(one).overflowX !== 'visible'
      if (isScrolled && one.scrollWidth > one.clientWidth + 1) {
        faults.add(
          `${nameOf(one).slice(0, 12)} pans sideways by ${one.scrollWidth - one.clientWidth} px: ${widest(one)}`,
        )
      }
    }
  } else if (modal.scrollWidth > modal.clientWidth + 1) {
    faults.add(`the dialog pans sideways: ${widest(modal)}`)
  }
  for (const { element, box } of items) {
    if (box.left < -1 || (isModal && box.right > innerWidth + 1))
      faults.add(`${nameOf(element)} leaves the window`)
  }

  function widest(frame: Element): string {
    const edge = frame.getBoundingClientRect().left + frame.clientWidth
    const [first] = [...frame.querySelectorAll('*')]
      .filter((one) => one.getBoundingClientRect().right > edge + 1)
      .toSorted((a, b) => a.querySelectorAll('*').length - b.querySelectorAll('*').length)
    return first === undefined ? 'nothing that is seen' : nameOf(first)
  }

  // Where the content ends the page ends.
  if (!isModal) {
    for (const one of scrollers) {
      if (one.scrollHeight <= one.clientHeight + 1) continue
      const top = one === root ? 0 : one.getBoundingClientRect().top
      const end = one.scrollHeight - one.scrollTop + top
      const parts = [...one.querySelectorAll('*')]
        .filter((part) => part.childElementCount === 0 && isDrawn(part))
        .map((part) => part.getBoundingClientRect())
        .filter(({ width, height }) => width > 0 && height > 0)
      const content = Math.max(
        ...[...parts, ...items.map(({ whole }) => whole)].map(({ bottom }) => bottom),
      )
      if (end - content > 80)
        faults.add(
          `${one.tagName.toLowerCase()} scrolls ${Math.round(end - content)} px past its content`,
        )
    }
  }

  // What fingers must hit, and nothing else in its place.
  if (isTouch) {
    // Parts of a picture, which is read otherwise, are as small as it draws them.
    const targets = items
      .filter(({ element }) => element.closest('[aria-hidden="true"]') === null)
      .filter(({ element, isControl }) => isControl && !isInSentence(element))
      // What is above the window comes when it has the focus of a keyboard.
      .filter(({ whole }) => whole.bottom >= 0)
      .map((item) => ({ ...item, target: targetOf(item.element, item.whole) }))
    for (const { element, whole, target, layer } of targets) {
      const isText = element.matches('a') && styleOf(element).backgroundColor === 'rgba(0, 0, 0, 0)'
      if (target.height < touchSize - 0.6 || (!isText && target.width < touchSize - 0.6)) {
        faults.add(
          `${nameOf(element)} is ${Math.round(target.width)} x ${Math.round(target.height)} px to touch`,
        )
      }
      const [x, y] = [whole.left + whole.width / 2, whole.top + whole.height / 2]
      const other = targets.find(
        ({ element: one, target: { left, top, right, bottom }, layer: its }) =>
          its === layer &&
          !one.contains(element) &&
          !element.contains(one) &&
          !isLabelOf(one, element) &&
          x > left + 1 &&
          x < right - 1 &&
          y > top + 1 &&
          y < bottom - 1,
      )
      if (other !== undefined)
        faults.add(`a touch of ${nameOf(element)} may hit ${nameOf(other.element)}`)
    }
  }

  /** A link or a control among the words of a sentence goes by the height of its line. */
  function isInSentence(element: Element): boolean {
    if (styleOf(element).display !== 'inline') return false
    const around = element.parentElement?.textContent.trim() ?? ''
    return around.length > element.textContent.trim().length
  }

  /** With its label, and with what it lays around itself to be hit. */
  function targetOf(element: Element, box: DOMRect): DOMRect {
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
    const boxes = [box, ...labels.map((label) => label.getBoundingClientRect())]
    const left = Math.min(...boxes.map((one) => one.left))
    const top = Math.min(...boxes.map((one) => one.top))
    const right = Math.max(...boxes.map((one) => one.right))
    const bottom = Math.max(...boxes.map((one) => one.bottom))
    const { content, position, width, height } = getComputedStyle(element, '::after')
    const isAround = content !== 'none' && position === 'absolute'
    const wide = Math.max(right - left, isAround ? parseFloat(width) : 0)
    const high = Math.max(bottom - top, isAround ? parseFloat(height) : 0)
    return new DOMRect((left + right - wide) / 2, (top + bottom - high) / 2, wide, high)
  }

  return [...faults]
}

/** What moved without anybody's doing since the page was opened. */
export function shifts(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            if ('value' in entry && !('hadRecentInput' in entry && entry.hadRecentInput)) {
              sum += Number(entry.value)
            }
          }
          resolve(sum)
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => {
          resolve(sum)
        }, 200)
      }),
  )
}
