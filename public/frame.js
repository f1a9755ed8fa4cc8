/*
 * The header and the heading of the page that was opened, before the application is there: it draws the
 * same in their place (src/web/app/shell.tsx); of a wall, that it loads. Without it nothing is shown meanwhile.
 */
{
  const { document, location } = globalThis
  const base = new URL('.', document.currentScript.src).pathname
  const path = location.pathname.slice(base.length - 1)
  const root = document.documentElement
  const [, name, heading, lead = ''] = pageAt(path)

  const wall = /^\/wall(?:$|\/([^/]*)\/?$)/.exec(path)

  root.dataset.mantineColorScheme = wall === null ? scheme() : wallScheme(wall[1] ?? '')
  if (wall !== null) {
    document.querySelector('#frame').remove()
    const frame = document.querySelector('#frame-wall')
    frame.querySelector('h2').textContent = heading
    frame.querySelector('p').textContent = hasTiles() ? '' : lead
    frame.hidden = false
  } else {
    document.querySelector('#frame-wall').remove()
    const frame = document.querySelector('#frame')
    for (const link of frame.querySelectorAll('nav a')) {
      const to = link.getAttribute('href')
      if (to === path || (to !== '/' && path.startsWith(`${to}/`)))
        link.setAttribute('aria-current', 'page')
      link.setAttribute('href', base + to.slice(1))
    }
    frame.querySelector('.frame-here').textContent = name
    frame.querySelector('h1').textContent = heading
    frame.querySelector('.frame-lead').textContent = lead
    showPlace(frame.querySelector('.frame-place'))
    frame.hidden = false
    keepFocus(frame)
  }
  reloadWithoutParts(document.querySelector('#frame, #frame-wall'))

  /**
   * A page whose scripts or styles can't be loaded, as another release was installed meanwhile, is loaded anew once the server
   * responds: in 2 s, and ever later, up to a minute. Not once somebody types or has gone on to another page.
   */
  function reloadWithoutParts(frame) {
    const failures = takeFailures()
    const { href } = location
    let isWaiting = false
    let isInUse = false
    globalThis.addEventListener('input', () => (isInUse = true), true)
    globalThis.addEventListener('vite:preloadError', onMissing)
    // Of an element, that doesn't rise.
    globalThis.addEventListener('error', onMissing, true)

    function onMissing({ type, target }) {
      const isPart = type !== 'error' || target.type === 'module' || target.rel === 'stylesheet'
      if (!isPart || isWaiting || !frame.isConnected) return
      isWaiting = true
      frame.querySelector('.frame-lead, .frame-wall > p').textContent =
        "A part of Sightline can't be loaded. Retrying…"
      wait(Math.min(2000 * 2 ** failures, 60_000))
    }

    function wait(ms) {
      // Not all at once.
      setTimeout(() => void retry(ms), ms * (0.5 + Math.random() / 2))
    }

    async function retry(ms) {
      if (isInUse || location.href !== href) return
      const { ok } = await fetch(href, { method: 'HEAD', cache: 'no-store' }).catch(() => ({}))
      if (!ok) return wait(Math.min(ms * 2, 60_000))
      try {
        globalThis.sessionStorage.setItem('sightline.failures', failures + 1)
      } catch {
        // Storage is blocked: it never waits longer.
      }
      location.reload()
    }
  }

  /** How often in a row this page was loaded in vain. */
  function takeFailures() {
    try {
      const failures = Number(globalThis.sessionStorage.getItem('sightline.failures'))
      globalThis.sessionStorage.removeItem('sightline.failures')
      return failures
    } catch {
      // Storage is blocked.
      return 2
    }
  }

  /** The package of its page, or that and the scan of the page of one (src/web/features/packages/scan-headline.tsx). */
  function showPlace(place) {
    const [, address, scan] =
      /^\/packages\/(.+)\/policy-scans\/([^/]+)/.exec(path) ??
      /^\/packages\/((?:[^/]+\/){2,3}[^/]+)$/.exec(path) ??
      []
    if (address === undefined || path.endsWith('/runs')) return
    const [version, ...names] = address.split('/').toReversed()
    const [packageName, scanName] = place.querySelectorAll('strong')
    try {
      const named = decodeURIComponent(names.toReversed().join('/')).replaceAll('@', '%40')
      packageName.textContent = `pkg:${named}@${decodeURIComponent(version)}`
      if (scan === undefined) scanName.parentNode.remove()
      else scanName.textContent = decodeURIComponent(scan)
      place.hidden = false
    } catch {
      // No address of a page.
    }
  }

  /** A link of the header that has the focus when the application draws its own header keeps it. */
  function keepFocus(frame) {
    let focused
    frame.addEventListener('focusin', ({ target }) => (focused = target.getAttribute('href')))
    // Nothing takes the focus over when the frame itself is taken away.
    frame.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget !== null) focused = undefined
    })
    const observer = new globalThis.MutationObserver(() => {
      if (frame.isConnected) return
      const links = [...document.querySelectorAll('header a')]
      const link = links.find((one) => one.getAttribute('href') === focused)
      if (link !== undefined && document.activeElement === document.body) link.focus()
      if (link !== undefined || focused === undefined) observer.disconnect()
    })
    observer.observe(frame.parentNode, { childList: true, subtree: true })
  }

  /**
   * Of the page at an address: what that begins with, its name (src/web/app/pages.ts), what it says
   * first, or that it is loading, and what stands below that.
   */
  function pageAt(address) {
    const pages = [
      [/^\/$/, 'Feed', 'Connecting to the live feed.'],
      [/^\/builds$/, 'Builds', 'Searching the build server…'],
      [/^\/builds\//, 'Build', 'Looking up this build.'],
      [/^\/tests$/, 'Tests', 'Reading the tests of builds…'],
      [/^\/packages$/, 'Packages', 'Can this package be released? Choose it and a policy scan.'],
      [/^\/packages\/.+\/runs$/, 'Recorded runs', 'Loading recorded runs…'],
      [/^\/packages\/.+\/runs\/[^/]+$/, 'Recorded run', 'Loading policy scan…'],
      [/^\/packages\/.+\/policy-scans\//, 'Policy scan', 'Loading policy scan…'],
      [/^\/packages\/.+\/attestations\//, 'Attestation', 'Loading attestation…'],
      [/^\/packages\//, 'Package', 'Loading package…'],
      [/^\/board$/, 'Boards', 'Can this release go out? Choose a board, or paste its packages.'],
      [/^\/board\//, 'Release board', 'Loading release board…'],
      [/^\/waivers$/, 'Waivers', 'Loading waivers…'],
      [
        /^\/publish$/,
        'Publish',
        'Publish attestations: choose builds, then the package they produced.',
      ],
      [
        /^\/decode$/,
        'Decode',
        'Decode and check an attestation',
        'Check whether its signatures are valid, who signed it, and whether its subject is the file you have.',
      ],
      [/^\/activity$/, 'Activity', 'Recorded evaluations'],
      [/^\/status$/, 'Status', 'Loading the status…'],
      [/^\/walls$/, 'Walls', 'Loading walls…'],
      [/^\/walls\/edit/, 'Edit wall', 'Loading wall…'],
      [/^\/tokens$/, 'Tokens', 'Loading tokens…'],
      [
        /^\/wall$/,
        'Wall',
        'Loading builds…',
        'This wall shows a tile for each project as soon as a build arrives. Press e to define your own tiles.',
      ],
      [/^\/wall\//, 'Wall', 'Loading builds…'],
    ]
    return pages.find(([pattern]) => pattern.test(address)) ?? [undefined, '', 'Loading…']
  }

  /** Light or dark, as chosen on this device (src/web/ui/device-preferences.ts), or as the system is. */
  function scheme() {
    const chosen = preferences().scheme
    if (chosen === 'light' || chosen === 'dark') return chosen
    return globalThis.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }

  /** That of a wall: as its link says, or as chosen on this device (src/web/features/wall/wall-link.ts). */
  function wallScheme(name) {
    const { search, hash } = location
    const said = new URLSearchParams(hash.slice(1)).get('settings')
    const inLink = said ?? new URLSearchParams(search).get('settings') ?? ''
    const [, linked] = /(?:^|,)scheme:(light|dark)(?:,|$)/.exec(inLink) ?? []
    const kept = preferences().wallSettings?.[decoded(name)]?.scheme
    return (linked ?? kept) === 'light' ? 'light' : 'dark'
  }

  /** Whether a wall's link says what is on it: it is not of all projects then. */
  function hasTiles() {
    return /[?#&]tiles=/.test(location.search + location.hash)
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text)
    } catch {
      // No address of a page.
      return text
    }
  }

  function preferences() {
    try {
      return JSON.parse(globalThis.localStorage.getItem('sightline.preferences')) ?? {}
    } catch {
      // Storage is blocked, or holds something else.
      return {}
    }
  }
}
