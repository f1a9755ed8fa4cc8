/** Two soft tones: falling when something fails, rising when it recovers. */
export function playTone(turn: 'failed' | 'recovered'): void {
  const audio = new AudioContext()
  const [first, second] = turn === 'failed' ? [440, 330] : [440, 587]
  for (const [index, frequency] of [first, second].entries()) {
    const at = audio.currentTime + index * toneSeconds
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.2, at)
    volume.gain.linearRampToValueAtTime(0, at + toneSeconds)
    tone.connect(volume).connect(audio.destination)
    tone.start(at)
    tone.stop(at + toneSeconds)
    if (index === 1) {
      tone.onended = () => {
        void audio.close()
      }
    }
  }
}

const toneSeconds = 0.35

/** Reads a sentence out; an older one that still waits is dropped. */
export function speak(text: string): void {
  if (!('speechSynthesis' in window)) return
  speechSynthesis.cancel()
  speechSynthesis.speak(new SpeechSynthesisUtterance(text))
}

/**
 * A notification of the browser, once for all tabs of it that show the same turn: whoever gets the
 * lock of its text first tells, and keeps it until the others have seen it, too.
 */
export async function notifyOnce(text: string): Promise<void> {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  if (!('locks' in navigator)) {
    show(text)
    return
  }
  await navigator.locks.request(`sightline-turn ${text}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    show(text)
    await new Promise((resolve) => setTimeout(resolve, sameTurnMs))
  })
}

/** Tabs see the same turn within so long, ms: builds reach them together, flushes and looks apart. */
const sameTurnMs = 5000

function show(text: string): void {
  // The tag makes one of what still comes twice, as from two walls with the same tile.
  new Notification('Sightline wall', { body: text, tag: text, icon: '/icon-quiet.svg' })
}
