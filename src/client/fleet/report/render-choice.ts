import { renewEarlyPercent } from '../../../contract/timing/freshness.ts'
import { renderDuration } from '../../duration.ts'

/** Says of two percentages what they are: nobody should take the setting of one choice for what helpers do by themselves. */
export function renderRenewEarly(percent: number): string {
  if (percent === 0) return '0 % (off)'
  return percent === renewEarlyPercent.default ? `${percent} % (default)` : `${percent} %`
}

/** The life of a token: in seconds where it is no number of minutes. */
export function renderLife(seconds: number): string {
  return seconds % 60 === 0 ? renderDuration(seconds) : `${seconds} s`
}
