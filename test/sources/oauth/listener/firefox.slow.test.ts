import { startFirefox } from '../../../stand-ins/browser/firefox.ts'
import { describeCallbacks } from './callback-scenarios.ts'

describeCallbacks(startFirefox)
