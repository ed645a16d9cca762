import { bootstrapApplication } from '@angular/platform-browser';
import { Checkout } from './checkout';

bootstrapApplication(Checkout).catch((error) => console.error(error));
