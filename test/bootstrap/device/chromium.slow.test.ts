import { startChromium } from '../../stand-ins/browser/chromium.ts'
import { describeDevice } from './device-scenarios.ts'

describeDevice(startChromium)
