// src/pages/api/checkout.ts
import type { APIRoute } from 'astro';
import { checkout, orderOf } from '../../shop';

export const ALL: APIRoute = ({ request, cookies }) => checkout.handle(request, orderOf(cookies));
