import HtmlWebpackPlugin from 'html-webpack-plugin';

export default {
  mode: 'production',
  entry: './src/checkout.js',
  plugins: [new HtmlWebpackPlugin({ template: './src/index.html' })],
};
